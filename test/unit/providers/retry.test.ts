import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FAULT_REASONS, ModelFault } from '../../../src/app/fault.ts';
import type { FaultReason } from '../../../src/app/fault.ts';
import { wrapModel, type ChatChunk, type ChatModel } from '../../../src/app/ports.ts';
import { summarizerOf } from '../../../src/app/summarizer.ts';
import { withRetries, retryDelayMs } from '../../../src/providers/retry.ts';
import { ask, turn } from './protocols.ts';

type Script = readonly (readonly (string | ModelFault)[])[];

/** A model with a script for each call: chunks of text, then the end or a fault. */
function scripted(script: Script): ChatModel & { calls: number } {
  const model = {
    id: 'x/y',
    provider: 'x',
    model: 'y',
    calls: 0,
    async *stream(): AsyncGenerator<ChatChunk> {
      const steps = script[model.calls] ?? ['late'];
      model.calls += 1;
      await Promise.resolve();
      for (const step of steps) {
        if (typeof step !== 'string') throw step;
        yield { type: 'text', text: step };
      }
      yield { type: 'end', ending: 'complete' };
    },
  };
  return model;
}

const fault = (reason: FaultReason, retryAfterMs?: number): ModelFault =>
  new ModelFault(reason, 'x', retryAfterMs === undefined ? {} : { retryAfterMs });

describe('retry policy', () => {
  const waits: [number, number, string][] = [];
  const onWait = (ms: number, attempt: number, cause: ModelFault): void => void waits.push([ms, attempt, cause.reason]);
  const sleep = (): Promise<void> => Promise.resolve();
  const random = (): number => 0.5;
  beforeEach(() => (waits.length = 0));

  it('waits longer after each attempt, and tells the user the delay and the attempt number', async () => {
    const model = scripted([[fault('overloaded')], [fault('network')], [fault('timeout')], ['hello']]);
    const outcome = await turn(withRetries(model, { onWait, sleep, random }), ask('hi'));
    assert.equal(outcome.text, 'hello');
    assert.deepEqual(waits, [
      [750, 2, 'overloaded'],
      [1500, 3, 'network'],
      [3000, 4, 'timeout'],
    ]);
  });

  it('waits as long as the provider asks', async () => {
    const model = scripted([[fault('rate_limited', 7000)], ['hello']]);
    await turn(withRetries(model, { onWait, sleep }), ask('hi'));
    assert.deepEqual(waits, [[7000, 2, 'rate_limited']]);
  });

  it('allows more retries after a rate limit if configured, but not when the server is down', async () => {
    const always = (reason: FaultReason): Script => Array.from({ length: 9 }, () => [fault(reason)]);
    const options = { maxRateLimitRetries: 6, sleep };
    for (const [reason, calls] of [
      ['rate_limited', 7],
      ['network', 5],
    ] as const) {
      const model = scripted(always(reason));
      const outcome = await turn(withRetries(model, options), ask('hi'));
      assert.deepEqual([outcome.fault?.reason, model.calls], [reason, calls]);
    }
  });

  it('uses the normal backoff if the provider names no delay, or a time that has passed', async () => {
    const model = scripted([[fault('overloaded', 0)], [fault('overloaded', 0)], ['hello']]);
    await turn(withRetries(model, { onWait, sleep, random }), ask('hi'));
    const delays = waits.map(([ms]) => ms);
    assert.deepEqual(delays, [750, 1500]);
  });

  it('leaves the retry to the user if the provider asks for too long a delay', async () => {
    const model = scripted([[fault('rate_limited', 600_000)], ['hello']]);
    const outcome = await turn(withRetries(model, { onWait, sleep }), ask('hi'));
    assert.equal(outcome.fault?.retryAfterMs, 600_000);
    assert.equal(model.calls, 1);
  });

  it('gives up after the allowed number of retries, with the last fault', async () => {
    const model = scripted(Array.from({ length: 9 }, () => [fault('overloaded')]));
    const outcome = await turn(withRetries(model, { onWait, sleep }), ask('hi'));
    assert.equal(outcome.fault?.reason, 'overloaded');
    assert.equal(model.calls, 5);
  });

  it('never repeats text: once text has arrived, a fault ends the turn', async () => {
    const model = scripted([['hel', fault('network')], ['hello']]);
    const outcome = await turn(withRetries(model, { onWait, sleep }), ask('hi'));
    assert.equal(outcome.text, 'hel');
    assert.equal(outcome.fault?.reason, 'network');
  });

  for (const [said, reason] of [
    [['hel'], 'cut_stream'],
    [['hel'], 'overloaded'],
    [['hel'], 'network'],
    [[], 'cut_stream'],
  ] as const)
    it(`retries after ${reason}${said.length > 0 ? ', discards the unseen partial reply' : ' before any text arrived'}, and counts the usage of both attempts`, async () => {
      const usage = { input: 9, output: 1 };
      const model = scripted([[...said, fault(reason)], ['hello']]);
      const paying = wrapModel(model, async function* (...asked) {
        yield { type: 'usage', usage };
        yield* model.stream(...asked);
      });
      const used: unknown[] = [];
      const { signal } = new AbortController();
      const tried = withRetries(paying, { sleep, mayDiscard: true });
      const reply = await summarizerOf({ model: tried, maxInputTokens: 1_000 }, signal, (tokens) =>
        used.push(tokens),
      ).complete({ system: 's', prompt: 'p', maxTokens: 100, temperature: 0 });
      assert.deepEqual([reply.text, used], ['hello', [usage, usage]]);
    });

  for (const reason of FAULT_REASONS) {
    const again = ['rate_limited', 'overloaded', 'network', 'timeout'].includes(reason);
    it(`${again ? 'retries' : 'does not retry'} after ${reason}`, async () => {
      const model = scripted([[fault(reason)], ['hello']]);
      await turn(withRetries(model, { sleep }), ask('hi'));
      assert.equal(model.calls, again ? 2 : 1);
    });
  }

  it('retries only once after a timeout', async () => {
    const model = scripted(Array.from({ length: 9 }, () => [fault('timeout')]));
    const outcome = await turn(withRetries(model, { sleep }), ask('hi'));
    assert.equal(outcome.fault?.reason, 'timeout');
    assert.equal(model.calls, 2);
  });

  it('ends at once when the user aborts during a delay', async () => {
    const stop = new AbortController();
    const model = scripted([[fault('rate_limited', 50_000)], ['hello']]);
    const patient = withRetries(model, { onWait: () => setImmediate(() => stop.abort()) });
    const outcome = await turn(patient, ask('hi'), stop.signal);
    assert.equal(outcome.fault?.reason, 'cancelled');
    assert.equal(model.calls, 1);
  });

  it('waits between half and all of the backoff, and never longer than the cap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const full = Math.min(60_000, 1000 * 2 ** (attempt - 1));
          const ms = retryDelayMs(fault('overloaded'), attempt, chance);
          assert.ok(ms !== undefined && ms >= full / 2 && ms <= full);
        },
      ),
    );
  });
});
