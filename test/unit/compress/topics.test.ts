import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { topicTitle } from '../../../src/core/compress/topics.ts';
import type { MessageId } from '../../../src/core/model/ids.ts';
import type { Role } from '../../../src/core/model/message.ts';

const DATA = process.env['THREADKEEPER_DATA'] ?? path.resolve(import.meta.dirname, '../../../../shared/data');
const SAMPLE = path.resolve(import.meta.dirname, '../../fixtures/demo-workspace/sample-session.jsonl');
/** Small talk before the topic. */
const LEAD_IN = /^(?:yes|no|ok|okay|agreed|sure|please|thanks|i|we|you|let|lets|can|could|what|how|why|now)\b/i;
const SEGMENT = 60;

type Said = readonly { readonly role: Role; readonly content: string }[];

const lines = (file: string): Said =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { role: Role; content: unknown })
    .filter(({ content }) => typeof content === 'string') as Said;

/** Titles of segments of sixty messages, and each segment's texts. */
async function titles(said: Said): Promise<{ title: string; texts: string[] }[]> {
  const messages = said.map(({ role, content }, at) => ({
    id: String(at) as MessageId,
    role,
    content: [{ type: 'text' as const, text: content }],
  }));
  const corpus = await buildCorpus(messages, new CancellableYielder());
  const starts = said.flatMap((_, at) => (at % SEGMENT === 0 && at + 20 < said.length ? [at] : []));
  return starts.map((from) => {
    const to = Math.min(said.length, from + SEGMENT) - 1;
    return {
      title: topicTitle({ corpus, from, to }) ?? '',
      texts: said.slice(from, to + 1).map(({ content }) => content),
    };
  });
}

async function judge(name: string, said: Said): Promise<string[]> {
  const faults: string[] = [];
  for (const { title, texts } of await titles(said)) {
    if (title === '') faults.push(`${name}: no title`);
    if (LEAD_IN.test(title)) faults.push(`${name}: “${title}” begins as a message does`);
    const flat = texts.map((text) => text.replace(/\s+/g, ' ').trim().toLowerCase());
    if (title.includes(' ') && flat.some((text) => text.startsWith(title.toLowerCase())))
      faults.push(`${name}: “${title}” is the first words of a message`);
    if (!title.split(', ').some((phrase) => flat.filter((text) => text.includes(phrase.toLowerCase())).length > 1))
      faults.push(`${name}: nothing in “${title}” recurs`);
  }
  return faults;
}

describe('summary title', () => {
  it('names the topic instead of the first words', async () => {
    const said: Said = [
      { role: 'user', content: 'yes: staging data never goes to production. What do we do about the nightly export?' },
      { role: 'assistant', content: 'The nightly export runs from the replica, so staging data stays where it is.' },
      { role: 'user', content: 'ok, and Postgres? The nightly export locks Postgres for a minute.' },
      { role: 'assistant', content: 'With a snapshot, Postgres is not locked, and the nightly export takes longer.' },
    ];
    const corpus = await buildCorpus(
      said.map(({ role, content }, at) => ({
        id: String(at) as MessageId,
        role,
        content: [{ type: 'text', text: content }],
      })),
      new CancellableYielder(),
    );
    assert.equal(topicTitle({ corpus, from: 0, to: 3 }), 'staging data, Postgres, nightly export');
  });

  it('names what recurs in each part of the sample session', async () => {
    assert.deepEqual(await judge('sample', lines(SAMPLE)), []);
  });

  it('names what recurs in real dialogues', async function () {
    if (!existsSync(DATA)) return this.skip();
    const bookings = JSON.parse(readFileSync(path.join(DATA, 'short/bookings.json'), 'utf8')) as {
      id: string;
      turns: [string, string][];
    }[];
    const faults: string[] = [];
    for (const { id, turns } of bookings)
      faults.push(
        ...(await judge(
          id,
          turns.map(([who, content]) => ({ role: /user/i.test(who) ? 'user' : 'assistant', content })),
        )),
      );
    for (const file of readdirSync(path.join(DATA, 'dev')).filter((name) => name.startsWith('getspecstory')))
      faults.push(...(await judge(file, lines(path.join(DATA, 'dev', file)))));
    faults.push(...(await judge('role-play', lines(path.join(DATA, 'short/role-play.jsonl')))));
    assert.deepEqual(faults, []);
  });
});
