import assert from 'node:assert/strict';
import { InMemorySession } from '../../../src/app/in-memory-session.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';

const counter = await loadEncoding('o200k_base');

/** A dispatcher's chat. */
const line = (at: number): string =>
  at % 2 === 0
    ? `Please move parcel ${4_000 + at} for Mrs. Okafor to half past ${8 + (at % 9)}, at the back door.`
    : `Parcel ${3_999 + at} is moved, driver Lindqvist brings it with van ${at % 12} and calls first.`;

/** A session of `messages` messages, compressed every ten with a model that always gives this answer. */
async function answered(text: string, messages: number) {
  const prompts: string[] = [];
  const chat: ChatModel = {
    id: 'test/summarizer',
    provider: 'test',
    model: 'summarizer',
    async *stream({ messages: sent }) {
      await Promise.resolve();
      prompts.push(sent.map((message) => messageText(message)).join('\n'));
      if (text !== '') yield { type: 'text', text };
      yield { type: 'end', ending: 'complete' };
    },
  };
  const session = new InMemorySession({
    policy: resolvePolicy('steady'),
    budget: 100_000,
    counter,
    preset: 'customer',
    model: { model: chat, maxInputTokens: 100_000 },
    price: () => null,
  });
  for (let at = 0; at < messages; at++) {
    const role = at % 2 === 0 ? 'user' : 'assistant';
    await session.receive({ id: messageId(`m${at}`), role, content: [{ type: 'text', text: line(at) }] });
  }
  await session.endTurn();
  return { session, prompts };
}

describe('a model that never gives a usable summary', () => {
  for (const answer of ['I’m sorry, but I can’t help with that.', ''])
    it(`reads no message for a second compression if it answers ${JSON.stringify(answer)}`, async () => {
      const { session, prompts } = await answered(answer, 120);
      assert.equal(session.attempts.length, 11);
      // The first compression asks three times: with the faults of the answer, and for a shorter one.
      assert.equal(prompts.filter((prompt) => prompt.includes(line(2))).length, 3);
      assert.ok(prompts.length <= 13, `${prompts.length} requests`);
    });

  it('leaves summaries as detailed as those without a model', async () => {
    const { session } = await answered('I’m sorry, but I can’t help with that.', 120);
    const covered = session.state.frontier.map(({ node }) => node.messages);
    assert.deepEqual(
      covered,
      Array.from({ length: 11 }, () => 10),
    );
  });
});
