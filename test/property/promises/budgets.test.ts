import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ContextOverflow } from '../../../src/app/fault.ts';
import { says } from '../../unit/app/harness.ts';
import { checkRequest } from './checks.ts';
import { Simulation } from './simulation.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 1_500 : 60;

/** Turns whose user message and reply take these shares of a small budget. */
const turns = fc.array(
  fc.record({
    share: fc.oneof(
      { weight: 3, arbitrary: fc.double({ min: 0.01, max: 0.3, noNaN: true }) },
      { weight: 4, arbitrary: fc.double({ min: 0.75, max: 1.15, noNaN: true }) },
    ),
    reply: fc.double({ min: 0.01, max: 0.4, noNaN: true }),
    task: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

/** A text of about this many tokens with a unique marker. */
const textOf = (tokens: number, mark: number): string =>
  `Question ${mark}:${' so what'.repeat(Math.max(1, Math.floor(tokens / 2)))}`;

describe('turns of any size in a small context window', () => {
  it('are sent within the budget, or rejected as too large without sending anything', async () => {
    const budgets = fc.integer({ min: 400, max: 3_000 });
    await fc.assert(
      fc.asyncProperty(budgets, fc.constantFrom('smart', 'trim', 'off'), turns, async (budget, strategy, sizes) => {
        await using simulation = await Simulation.open();
        await simulation.do({ do: 'policy', name: 'balanced', strategy });
        await simulation.do({ do: 'budget', tokens: budget, ledgerShare: 0.15 });
        const { harness, conversation } = simulation;
        for (const [at, { share, reply, task }] of sizes.entries()) {
          if (task) await simulation.do({ do: 'task', goal: textOf(budget * 0.1, at) });
          const text = textOf(budget * share, at);
          harness.requests.length = 0;
          harness.script = says(textOf(budget * reply, at));
          const refused = await conversation.send(text).then(
            () => false,
            (error: unknown) => {
              assert.ok(error instanceof ContextOverflow, String(error));
              return true;
            },
          );
          assert.equal(harness.requests.length, refused ? 0 : 1, 'what is refused is not sent');
          if (refused) assert.equal(simulation.state.escalation, 'token_overflow', 'what is refused is flagged');
          for (const request of harness.requests) checkRequest(request, text, budget, conversation.counter);
          if (refused) assert.ok(conversation.context().total > budget, 'what fits is not refused');
        }
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 2_000);
});
