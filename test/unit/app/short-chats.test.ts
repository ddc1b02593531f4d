import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MemorySession } from '../../../src/app/memory-session.ts';
import type { ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText, type Role } from '../../../src/core/model/message.ts';
import { resolvePolicy, type PolicyName } from '../../../src/core/policy/policy.ts';
import type { PresetName } from '../../../src/core/prompts/render.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';

const shared = process.env['THREADKEEPER_SHARED'] ?? path.join(import.meta.dirname, '../../../../shared/data');
const counter = await loadEncoding('o200k_base');

interface Said {
  readonly role: Role;
  readonly content: string;
}

const jsonLines = (name: string): Said[] =>
  readFileSync(path.join(shared, 'short', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Said);

/** Answers as a small model does: a sentence or two of what it read, as plain prose or as the JSON it was asked for. */
function answering(form: 'prose' | 'json'): ChatModel & { readonly requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  return {
    id: 'test/small',
    provider: 'test',
    model: 'small',
    requests,
    async *stream(request) {
      requests.push(request);
      await Promise.resolve();
      const prompt = request.messages.map((message) => messageText(message)).join('\n');
      const words = prompt.split(/\s+/).filter((word) => /^[A-Z][a-z]{3,}/.test(word));
      const most = Number(/(\d+) words/.exec(prompt)?.[1]);
      const told = `The customer asked about ${words.slice(-12).join(' ')} and chose time and place.`
        .split(' ')
        .slice(0, most)
        .join(' ');
      const text = form === 'prose' ? told : JSON.stringify({ narrative: told, decisions: [], openSteps: [] });
      yield { type: 'text', text };
      const input = request.system.reduce((sum, one) => sum + counter.text(one), counter.text(prompt));
      yield { type: 'usage', usage: { input, output: counter.text(text) } };
      yield { type: 'end', ending: 'complete' };
    },
  };
}

async function grown(
  said: readonly Said[],
  policy: PolicyName,
  preset: PresetName,
  model?: ChatModel,
): Promise<MemorySession> {
  const session = new MemorySession({
    policy: resolvePolicy(policy),
    budget: 128_000,
    counter,
    preset,
    model: model && { model, maxInputTokens: 100_000 },
    price: (_, { input, output }) => (input * 0.15 + output * 0.6) / 1e6,
  });
  for (const [at, { role, content }] of said.entries())
    await session.take({ id: messageId(`m${at}`), role, content: [{ type: 'text', text: content }] });
  await session.end();
  return session;
}

const models = [
  ['extraction', () => undefined],
  ['a model that answers in JSON', () => answering('json')],
  ['a model that answers in prose', () => answering('prose')],
] as const;

const describeWithData = existsSync(shared) ? describe : describe.skip;

describeWithData('chats of short messages, grown turn by turn', () => {
  for (const [by, make] of models) {
    it(`booking dialogues under steady are compressed at 20 and 30 messages exactly, by ${by}`, async () => {
      const dialogues = JSON.parse(readFileSync(path.join(shared, 'short/bookings.json'), 'utf8')) as {
        readonly id: string;
        readonly turns: readonly (readonly [Role, string])[];
      }[];
      assert.equal(dialogues.length, 19);
      for (const { id, turns } of dialogues) {
        const said = turns.map(([role, content]) => ({ role, content }));
        const session = await grown(said, 'steady', 'customer', make());
        const before = said.reduce((sum, { role, content }) => {
          return sum + counter.message({ role, content: [{ type: 'text', text: content }] });
        }, 0);
        assert.deepEqual(
          session.attempts.map(({ at, outcome, messagesAfter }) => [at, outcome, messagesAfter]),
          [
            [20, 'committed', 10],
            [30, 'committed', 10],
          ],
          id,
        );
        for (const { calls } of session.attempts) assert.ok(calls <= 1, id);
        const context = session.context();
        assert.ok(context.total < before, `${id}: ${context.total} of ${before} tokens`);
        const sent = context.messages.map((message) => messageText(message));
        assert.deepEqual(
          sent.slice(-10),
          said.slice(-10).map(({ content }) => content),
          id,
        );
      }
    });

    it(`1,000 messages under frugal pay off, by ${by}`, async () => {
      const said = jsonLines('bookings-1000.jsonl');
      const model = make();
      const session = await grown(said, 'frugal', 'customer', model);
      const before = said.reduce((sum, { role, content }) => {
        return sum + counter.message({ role, content: [{ type: 'text', text: content }] });
      }, 0);
      const committed = session.attempts.filter(({ outcome }) => outcome === 'committed');
      assert.ok(committed.length >= 15, `${committed.length} commits`);
      const paidFor = committed.reduce((sum, { calls }) => sum + calls, 0);
      assert.equal(model?.requests.length ?? 0, paidFor, 'no call without a commit');
      const { total } = session.context();
      assert.ok(total <= 0.4 * before, `${total} of ${before} tokens`);
      assert.ok(session.calls.costUsd <= 0.01, `$${session.calls.costUsd}`);
    });
  }

  it('under steady are compressed at 40 messages too, and not between the tens', async () => {
    const session = await grown(jsonLines('bookings-1000.jsonl').slice(0, 46), 'steady', 'customer');
    assert.deepEqual(
      session.attempts.map(({ at, outcome }) => [at, outcome]),
      [20, 30, 40].map((at) => [at, 'committed']),
    );
  });

  it('keeps the names of a story at a fifth of the tokens, without a model', async () => {
    const said = jsonLines('role-play.jsonl');
    const session = new MemorySession({
      policy: resolvePolicy('long-memory'),
      budget: 3_779,
      counter,
      preset: 'role-play',
      model: undefined,
      price: () => null,
    });
    for (const [at, { role, content }] of said.entries())
      session.add({ id: messageId(`m${at}`), role, content: [{ type: 'text', text: content }] });
    await session.compress({ targetTokens: 3_779, keep: 3, recentTokens: 560 });
    const { system, total } = session.context();
    assert.ok(total <= 3_800, `${total}`);
    const context = system.join('\n').toLowerCase();
    const covered = session.state.frontier.at(-1)!.to;
    const source = said
      .slice(0, covered + 1)
      .map(({ content }) => content)
      .join('\n')
      .toLowerCase();
    const summaries = readFileSync(path.join(shared, 'short/role-play.summaries.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly to: number; readonly summary: string })
      .filter(({ to }) => to <= covered);
    // A capital in the midst of a sentence begins a proper name.
    const names = new Set(
      summaries.flatMap(({ summary }) =>
        Array.from(summary.matchAll(/(?<=[\p{Ll},;] )\p{Lu}[\p{L}’'-]{2,}/gu), ([name]) => name.replace(/['’]s$/, '')),
      ),
    );
    const told = [...names].filter((name) => source.includes(name.toLowerCase()));
    const kept = told.filter((name) => context.includes(name.toLowerCase()));
    assert.ok(told.length >= 15, `${told.length}`);
    assert.ok(kept.length >= 0.7 * told.length, `${kept.length} of ${told.length}`);
    // The newest fifth by itself says much less of what came before it.
    const newest = said.slice(-Math.ceil(said.length / 5)).map(({ content }) => content);
    const inNewest = told.filter((name) => newest.join('\n').toLowerCase().includes(name.toLowerCase()));
    assert.ok(inNewest.length < 0.6 * told.length, `${inNewest.length} of ${told.length}`);
  });
});
