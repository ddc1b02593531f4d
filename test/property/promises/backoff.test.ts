import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BACKOFF_MS } from '../../../src/app/compressor.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { fill } from '../../unit/app/harness.ts';
import { talk } from './regressions.ts';
import { Simulation } from './simulation.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 800 : 20;

const HOUR_MS = 3_600_000;

/** A session's waits before each try, as multiples of the shortest one. */
const waits = fc.array(fc.double({ min: 0.05, max: 3, noNaN: true }), { minLength: 6, maxLength: 24 });

/** A session with something to compress, and a simulated clock. */
async function due(): Promise<Simulation> {
  const simulation = await Simulation.open();
  await simulation.do({ do: 'budget', tokens: 120_000, ledgerShare: 0.15 });
  simulation.harness.settings = {
    ...simulation.harness.settings,
    policy: resolvePolicy('balanced', { triggers: { messages: 50 } }),
  };
  await simulation.do(talk(35));
  return simulation;
}

describe('background compression', () => {
  it('backs off after a failure, twice as long after each further one, up to an hour', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('throwing', 'flaky'), waits, async (model, shares) => {
        await using simulation = await due();
        await simulation.do({ do: 'model', name: model });
        let failures = 0;
        let restedAt = -Infinity;
        for (const share of shares) {
          simulation.harness.clock.ahead += Math.floor(share * BACKOFF_MS * 2 ** Math.min(failures, 5));
          const begun = simulation.harness.clock.now();
          const rest = Math.min(HOUR_MS, BACKOFF_MS * 2 ** (failures - 1));
          const { calls } = simulation;
          await simulation.conversation.betweenTurns();
          await simulation.conversation.settled();
          if (simulation.calls === calls) continue;
          assert.ok(begun - restedAt >= rest, `asked again after ${begun - restedAt} ms of ${rest}`);
          if (simulation.state.compressions.length > 0) break;
          failures++;
          restedAt = begun;
        }
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 4_000);

  it('backs off after finding nothing to save', async () => {
    await fc.assert(
      fc.asyncProperty(waits, async (shares) => {
        await using simulation = await Simulation.open();
        // The older messages are few and too short to be shortened.
        simulation.harness.settings = {
          ...simulation.harness.settings,
          policy: resolvePolicy('balanced', { triggers: { messages: 2 } }),
        };
        await fill(simulation.conversation, 12, (n) => `${n}?`);
        let lookedAt = -Infinity;
        for (const share of shares) {
          simulation.harness.clock.ahead += Math.floor(share * BACKOFF_MS);
          const begun = simulation.harness.clock.now();
          const looks = simulation.harness.logged('history_compression_triggered').length;
          await simulation.conversation.betweenTurns();
          await simulation.conversation.settled();
          assert.equal(simulation.state.compressions.length, 0);
          if (simulation.harness.logged('history_compression_triggered').length === looks) continue;
          assert.ok(begun - lookedAt >= BACKOFF_MS, `looked again after ${begun - lookedAt} ms`);
          lookedAt = begun;
        }
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 4_000);
});

/** Maximum number of parts for a history of this size. They may be requested concurrently. */
const MAX_SEGMENTS = 4;

describe('spending limit for compression', () => {
  it('prevents every model call once it is used up, whatever starts the call', async () => {
    const actions = fc.array(fc.constantFrom('compress', 'background', 'preview', 'regenerate', 'send', 'reset'), {
      minLength: 3,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 6 }),
        fc.constantFrom('good', 'empty', 'long', 'broken'),
        actions,
        async (limit, model, all) => {
          await using simulation = await due();
          let paid = 0;
          simulation.harness.spendGate = {
            state: () => (paid < limit ? 'open' : 'spent'),
            recordCost: () => {
              paid++;
            },
          };
          await simulation.do({ do: 'model', name: model });
          // Segments are requested concurrently, so those in flight when the limit is reached are still paid for.
          const script = simulation.harness.summarizer!;
          let late = 0;
          simulation.harness.summarizer = (request, signal) => {
            if (paid >= limit) late++;
            return script(request, signal);
          };
          for (const one of all) {
            await simulation.do(talk(15));
            if (one === 'compress' || one === 'background')
              await simulation.do({ do: one, meanwhile: 'nothing', pick: 0 });
            else if (one === 'regenerate') await simulation.do({ do: one, pick: 0, finer: false });
            else if (one === 'send') await simulation.do({ do: one, text: 'And now?', attached: null });
            else await simulation.do({ do: one });
            assert.equal(late, 0, `${late} calls begun after all ${limit} were paid for`);
            assert.ok(
              simulation.calls <= limit + MAX_SEGMENTS,
              `${simulation.calls} calls where ${limit} may be paid for`,
            );
            assert.equal(simulation.calls, paid, 'each call is counted');
          }
        },
      ),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 4_000);
});
