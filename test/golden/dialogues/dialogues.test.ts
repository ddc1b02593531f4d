import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { MemorySession } from '../../../src/app/memory-session.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { DIALOGUES, type Dialogue } from './dialogues.ts';

const counter = await loadEncoding('o200k_base');

const answering = (text: string): ChatModel => ({
  id: 'test/prose',
  provider: 'test',
  model: 'prose',
  async *stream() {
    await Promise.resolve();
    yield { type: 'text', text };
    yield { type: 'end', ending: 'complete' };
  },
});

/** What is sent after the dialogue has been said and compressed. */
async function sent({ preset, lines }: Dialogue, model?: ChatModel): Promise<{ front: string; all: string }> {
  const session = new MemorySession({
    policy: resolvePolicy('frugal', { window: 6 }),
    budget: 128_000,
    counter,
    preset,
    model: model && { model, maxInputTokens: 100_000 },
    price: () => null,
  });
  for (const [at, text] of lines.entries())
    session.add({
      id: messageId(`m${at}`),
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text }],
    });
  assert.equal((await session.compress()).kind, 'committed');
  const { system, messages } = session.context();
  const front = system.join('\n');
  return { front, all: [front, ...messages.map((message) => messageText(message))].join('\n') };
}

/** Compares with the file beside this one; UPDATE_GOLDEN=1 writes it. A file that is missing fails. */
function matchesGolden(name: string, text: string): void {
  const file = new URL(`${name}.golden.txt`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, `${text}\n`);
  assert.ok(existsSync(file), `${name}.golden.txt is missing; UPDATE_GOLDEN=1 writes it`);
  assert.equal(`${text}\n`, readFileSync(file, 'utf8'));
}

describe('what is sent of a dialogue of short messages', () => {
  for (const dialogue of DIALOGUES) {
    const { name, needed, unwanted, prose } = dialogue;

    it(`without a model: who, what, when, what was decided and is pending, no courtesies and dice (${name})`, async () => {
      const { front, all } = await sent(dialogue);
      for (const one of needed) assert.match(all, one);
      for (const one of unwanted) assert.doesNotMatch(front, one);
      matchesGolden(name, front);
    });

    it(`with a model that answers in prose: its words, whole, and no line of the source beside them (${name})`, async () => {
      const { front } = await sent(dialogue, answering(prose));
      const summaries = front.split('<key_events')[0]!;
      assert.ok(summaries.includes(prose), front);
      assert.doesNotMatch(summaries, /^(?:user|assistant): /m);
    });
  }
});
