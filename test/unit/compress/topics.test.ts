import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildCorpus, type Corpus } from '../../../src/core/compress/corpus.ts';
import { topicsOf, topicTitle } from '../../../src/core/compress/topics.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { DEMO_SESSION, jsonLines, SHARED_DATA } from '../../support/test-data.ts';
import { pace, transcript } from './summarize-fixtures.ts';

/** Small talk before the topic. */
const LEAD_IN = /^(?:yes|no|ok|okay|agreed|sure|please|thanks|i|we|you|let|lets|can|could|what|how|why|now)\b/i;
/** Words in the sample session that name nothing, or a name that isn't written as such. */
const NO_NOUN =
  /\b(?:somebody|fills|beyond|per|then|there|before|where|good|sure|today|morning|people|bitte|empty|rita|i['’]ll)\b/;
const SEGMENT = 60;

type Messages = readonly { readonly role: Role; readonly content: string }[];

const lines = (file: string): Messages =>
  jsonLines<{ role: Role; content: unknown }>(file).filter(({ content }) => typeof content === 'string') as Messages;

const corpusOf = (said: Messages): Promise<Corpus> =>
  buildCorpus(transcript(...said.map(({ role, content }) => [role, content] as const)), pace);

/** Titles of segments of sixty messages, and each segment's texts. */
async function titles(said: Messages): Promise<{ title: string; texts: string[] }[]> {
  const corpus = await corpusOf(said);
  const starts = said.flatMap((_, at) => (at % SEGMENT === 0 && at + 20 < said.length ? [at] : []));
  return starts.map((from) => {
    const to = Math.min(said.length, from + SEGMENT) - 1;
    return {
      title: topicTitle(topicsOf({ corpus, from, to })),
      texts: said.slice(from, to + 1).map(({ content }) => content),
    };
  });
}

async function titleFaults(name: string, said: Messages): Promise<string[]> {
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
    const said: Messages = [
      { role: 'user', content: 'yes: staging data never goes to production. What do we do about the nightly export?' },
      { role: 'assistant', content: 'The nightly export runs from the replica, so staging data stays where it is.' },
      { role: 'user', content: 'ok, and Postgres? The nightly export locks Postgres for a minute.' },
      { role: 'assistant', content: 'With a snapshot, Postgres is not locked, and the nightly export takes longer.' },
    ];
    const corpus = await corpusOf(said);
    assert.equal(topicTitle(topicsOf({ corpus, from: 0, to: 3 })), 'staging data, Postgres, nightly export');
  });

  it('names things in their own spelling, but no actions', async () => {
    const corpus = await corpusOf([
      {
        role: 'user',
        content: 'when somebody fills the form over http, Rita gets a mail. I want hours beyond nine shown.',
      },
      {
        role: 'assistant',
        content: 'If somebody fills the form, the handler answers over HTTP, and hours beyond nine are shown.',
      },
      {
        role: 'user',
        content: 'rita cancels per phone. Can we validate phone numbers before somebody fills the form?',
      },
      { role: 'assistant', content: 'We can validate phone numbers first, so that Rita sees only valid ones.' },
      { role: 'user', content: 'Then it is done.' },
      { role: 'assistant', content: 'Good. Then the reminders are next.' },
    ]);
    assert.equal(topicTitle(topicsOf({ corpus, from: 0, to: 3 })), 'phone numbers, HTTP, Rita');
  });

  it('keeps the words of a name together, also if it is in lower case first', async () => {
    const corpus = await corpusOf(
      [
        'We plan the trip to san francisco in spring.',
        'San Francisco is cold then, so the trip to San Francisco needs coats.',
        'What about the bay near San Francisco?',
        'The bay is fine.',
      ].map((content) => ({ role: 'user', content })),
    );
    assert.ok(topicsOf({ corpus, from: 0, to: 2 }).some((topic) => /^san francisco$/i.test(topic)));
    const korean = await corpusOf(
      ['Next.js 서버를 쓰고 React 컴포넌트가 느려요.', '하지만 React 컴포넌트가 커요.'].map((content) => ({
        role: 'user',
        content,
      })),
    );
    assert.match(topicsOf({ corpus: korean, from: 0, to: 1 })[0]!, /^React 컴포넌트가$/);
  });

  it('keeps identifiers at the beginning of sentences, but no long path, and nothing that is left out', async () => {
    const path = `src/${'a/'.repeat(30)}store.ts`;
    const corpus = await corpusOf(
      [1, 2, 3].map((at) => ({
        role: 'user',
        content: `max_connections is too low for the pool again, as in part ${at}.\n${path} is the file that we read for it in part ${at}.\nWe think that the Orangery is full by then, as it was in part ${at}.`,
      })),
    );
    const factors = Float64Array.from(corpus.passages, ({ text }) => (text.includes('Orangery') ? 0 : 1));
    assert.deepEqual(topicsOf({ corpus, from: 0, to: 2, factors }), ['max_connections']);
    assert.deepEqual(topicsOf({ corpus, from: 0, to: 2 }).sort(), ['Orangery', 'max_connections']);
  });

  it('takes no noun of another language for a verb', async () => {
    for (const [title, ...said] of [
      [
        'contenitori',
        'Oggi i contenitori non partono: i contenitori restano fermi.',
        'Vedo: i contenitori chiedono memoria.',
        'E se i contenitori ne avessero di più?',
        'Allora i contenitori partono.',
      ],
      [
        'migração',
        'Precisamos da migração a quente do banco.',
        'Sim, a migração a quente exige réplica.',
        'Quando começa a migração a quente?',
        'Amanhã, a migração a quente começa cedo.',
      ],
    ] as const) {
      const corpus = await corpusOf(said.map((content) => ({ role: 'user', content })));
      assert.equal(topicTitle(topicsOf({ corpus, from: 0, to: 3 })), title);
    }
  });

  it('keeps names with an apostrophe, but no contractions or weekdays', async () => {
    const said = (...texts: readonly string[]): Messages => texts.map((content) => ({ role: 'user', content }));
    const corpus = await corpusOf([
      ...said(
        'On the way to the Underdark on Monday, they fear that K’varn waits. And I’ll open the gate.',
        'So K’varn waits below, and the gate to the Underdark is shut until Monday. And I’ll hold the torch.',
        'We follow K’varn into the Underdark on Monday, if I’ll get a rope.',
      ),
      ...said('The tavern is closed today.', 'The cook has no bread left.', 'The horses are fed by the boy.'),
    ]);
    assert.deepEqual(topicsOf({ corpus, from: 0, to: 5 }).sort(), ['K’varn', 'Underdark']);
  });

  it('keeps names with an ampersand or a non-breaking hyphen, and names that are always in quotes or bold', async () => {
    const corpus = await corpusOf(
      [
        'The bill of AT&T came to Jean‑Luc, and the “Gondola” broker with **Sequoia** waits.',
        'I told Jean‑Luc that AT&T and the "Gondola" broker wait for **Sequoia** now.',
        'The beach is open again.',
        'The weather is fine today.',
      ].map((content) => ({ role: 'user', content })),
    );
    assert.deepEqual(topicsOf({ corpus, from: 0, to: 3 }).sort(), ['AT&T', 'Gondola', 'Jean‑Luc', 'Sequoia']);
  });

  it('consists of names and nouns in each part of the sample session, however long', async () => {
    const said = lines(DEMO_SESSION);
    const corpus = await corpusOf(said);
    const odd: string[] = [];
    for (const length of [20, 40, 60, 90, 120])
      for (let from = 0; from < said.length; from += length) {
        const segment = { corpus, from, to: Math.min(said.length, from + length) - 1 };
        const named = topicsOf(segment).join(', ');
        if (NO_NOUN.test(named)) odd.push(`${from}–${segment.to}: ${named}`);
      }
    assert.deepEqual(odd, []);
    assert.equal(topicsOf({ corpus, from: 0, to: 119 }).length, 5);
  });

  it('names what recurs in each part of the sample session', async () => {
    assert.deepEqual(await titleFaults('sample', lines(DEMO_SESSION)), []);
  });

  it('names what recurs in real dialogues', async function () {
    if (!existsSync(SHARED_DATA)) return this.skip();
    const bookings = JSON.parse(readFileSync(path.join(SHARED_DATA, 'short/bookings.json'), 'utf8')) as {
      id: string;
      turns: [string, string][];
    }[];
    const faults: string[] = [];
    for (const { id, turns } of bookings)
      faults.push(
        ...(await titleFaults(
          id,
          turns.map(([who, content]) => ({ role: /user/i.test(who) ? 'user' : 'assistant', content })),
        )),
      );
    for (const file of readdirSync(path.join(SHARED_DATA, 'dev')).filter((name) => name.startsWith('getspecstory')))
      faults.push(...(await titleFaults(file, lines(path.join(SHARED_DATA, 'dev', file)))));
    faults.push(...(await titleFaults('role-play', lines(path.join(SHARED_DATA, 'short/role-play.jsonl')))));
    assert.deepEqual(faults, []);
  });

  it('aren’t named after the colors of terminal output', async () => {
    const log = (at: number): string =>
      `\x1b[32m2026-03-0${at} 20:04:21\x1b[0m | \x1b[1mINFO    \x1b[0m | \x1b[36msrc.ledger.writer\x1b[0m:\x1b[36mflush\x1b[0m - \x1b[1mWrote part ${at} of the ledger to the disk\x1b[0m`;
    const said = [1, 2, 3, 4, 5, 6].flatMap((at) => [
      { role: 'user' as const, content: `Run the ledger writer for part ${at} and tell me what it prints.` },
      { role: 'tool' as const, content: `${log(at)}\n${log(at + 1)}` },
    ]);
    const segment = { corpus: await corpusOf(said), from: 0, to: said.length - 1 };
    const named = topicsOf(segment);
    assert.match(named.join(), /ledger/);
    assert.doesNotMatch(named.join(), /\dm/);
    const names = segment.corpus.terms.filter(({ name }) => /^\d+m/.test(name));
    assert.deepEqual(names, []);
  });

  it('leave out words that are only capitalized because they begin a sentence', async () => {
    const said = [1, 2, 3].map((at) => ({ role: 'user' as const, content: `We read ${at}. Ledgers in Lerwick.` }));
    const topics = topicsOf({ corpus: await corpusOf([...said, { role: 'user', content: 'ok' }]), from: 0, to: 3 });
    assert.deepEqual(topics, ['Lerwick']);
  });
});
