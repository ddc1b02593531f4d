import assert from 'node:assert/strict';
import { InMemorySession } from '../../../src/app/in-memory-session.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { LOCAL_MODEL } from '../../../src/core/compress/node-content.ts';
import { resolvePolicy, type PolicyName } from '../../../src/core/policy/policy.ts';
import { counter, message } from '../compress/summarize-fixtures.ts';
import { summarizing } from './summarizing.ts';

/** A dispatcher's chat. */
const line = (at: number): string =>
  at % 2 === 0
    ? `Please move parcel ${4_000 + at} for Mrs. Okafor to half past ${8 + (at % 9)}, at the back door.`
    : `Parcel ${3_999 + at} is moved, driver Lindqvist brings it with van ${at % 12} and calls first.`;

const SUMMARY = 'Parcels for Mrs. Okafor were moved to later times at the back door.';

/** A session with a summarizer that gives these answers, by the number of the request. */
function opened(policy: PolicyName, budget: number, answer: (request: number) => string) {
  const prompts: string[] = [];
  const answering = (id?: string) => summarizing((prompt) => answer(prompts.push(prompt)), id);
  const model = answering();
  const session = new InMemorySession({ policy: resolvePolicy(policy), budget, counter, preset: 'customer', model });
  return { session, prompts, model, answering };
}

async function receive(session: InMemorySession, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) await session.receive(message(at, at % 2 === 0 ? 'user' : 'assistant', line(at)));
  await session.endTurn();
}

/** A session of `messages` messages, compressed every ten with a model that always gives this answer. */
async function answered(text: string, messages: number) {
  const { session, prompts } = opened('steady', 100_000, () => text);
  await receive(session, 0, messages);
  return { session, prompts };
}

const extracted = ({ state }: InMemorySession): number =>
  state.frontier.reduce((sum, { node }) => sum + (node.model === LOCAL_MODEL ? node.messages : 0), 0);

describe('a model that never gives a usable summary', () => {
  for (const answer of ['I’m sorry, but I can’t help with that.', ''])
    it(`reads no message for a second compression if it answers ${JSON.stringify(answer)}`, async () => {
      const { session, prompts } = await answered(answer, 120);
      assert.equal(session.attempts.length, 11);
      // The first compression asks twice, the second time with the faults of the answer. Its prompts are short already.
      assert.equal(prompts.filter((prompt) => prompt.includes(line(2))).length, 2);
      assert.equal(prompts.length, 12);
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

describe('a model that thinks past its limit', () => {
  /** The thinking limits of the requests of 40 messages, compressed every ten, if it thinks for that many tokens. */
  async function limitsOf(thinking: number): Promise<(number | undefined)[]> {
    const limits: (number | undefined)[] = [];
    const model = summarizing(() => '');
    model.model.stream = async function* ({ reasoningTokens }) {
      limits.push(reasoningTokens);
      await Promise.resolve();
      const isDone = (reasoningTokens ?? 0) > thinking;
      if (isDone) yield { type: 'text', text: SUMMARY };
      yield { type: 'end', ending: isDone ? 'complete' : 'length' };
    };
    const policy = resolvePolicy('steady');
    const session = new InMemorySession({ policy, budget: 100_000, counter, preset: 'customer', model });
    await receive(session, 0, 40);
    assert.equal(session.attempts.length, 3);
    return limits;
  }

  it('has the higher limit in later compressions', async () =>
    assert.deepEqual(await limitsOf(5_000), [2_048, 16_384, 16_384, 16_384]));

  it('is not asked twice again if the higher limit was in vain', async () =>
    assert.deepEqual(await limitsOf(50_000), [2_048, 16_384, 2_048, 2_048]));
});

describe('messages without a usable summary', () => {
  for (const policy of ['frugal', 'balanced', 'long-memory'] as const)
    it(`are summarized under ${policy} if the model recovers from a fault and an empty response`, async () => {
      const { session } = opened(policy, 3_000, (request) => {
        if (request === 1) throw new ModelFault('overloaded', 'busy');
        return request === 2 ? '' : SUMMARY;
      });
      await receive(session, 0, 300);
      assert.equal(extracted(session), 0);
    });

  it('are summarized once the context window is no longer set too small to ask about them', async () => {
    const { session, prompts, model } = opened('frugal', 3_000, () => SUMMARY);
    model.maxInputTokens = 600;
    await receive(session, 0, 120);
    assert.equal(prompts.length, 0);
    assert.ok(extracted(session) > 0);
    assert.ok(session.state.frontier.every(({ node }) => node.audit.faults.length === 0));
    model.maxInputTokens = 100_000;
    await receive(session, 120, 200);
    assert.equal(extracted(session), 0);
  });

  it('are summarized after a retry again once a response is usable', async () => {
    // The requests are two of the first compression, one of each of the next two, and two of the last one.
    const { session, prompts } = opened('steady', 100_000, (request) => ([4, 6].includes(request) ? SUMMARY : ''));
    await receive(session, 0, 50);
    assert.deepEqual([session.attempts.length, prompts.length, extracted(session)], [4, 6, 20]);
  });

  it('are summarized after a retry once retries have helped before, even after one in vain', async () => {
    // Two requests of each compression: the second one is a retry, which helps in the first and the last compression.
    const { session, prompts } = opened('steady', 100_000, (request) => ([2, 6].includes(request) ? SUMMARY : ''));
    await receive(session, 0, 40);
    assert.deepEqual([session.attempts.length, prompts.length, extracted(session)], [3, 6, 10]);
  });

  it('are summarized by another model', async () => {
    let answer = '';
    const { session, model, answering } = opened('steady', 100_000, () => answer);
    await receive(session, 0, 60);
    assert.equal(extracted(session), 50);
    answer = SUMMARY;
    model.model = answering('test/another').model;
    await receive(session, 60, 70);
    assert.equal(extracted(session), 0);
  });
});
