import fc from 'fast-check';
import { REGRESSIONS } from './regressions.ts';
import { checkReopened, runStep } from './run-step.ts';
import { stepSequences, type Step } from './steps.ts';
import { Simulation } from './simulation.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 20_000 : 60;

async function lead(steps: readonly Step[]): Promise<void> {
  await using simulation = await Simulation.open();
  for (const step of steps) await runStep(simulation, step);
  await checkReopened(simulation);
}

describe('a session with random steps', () => {
  it('keeps every promise at every step', async () => {
    await fc.assert(fc.asyncProperty(stepSequences, lead), { numRuns: RUNS });
  }).timeout(240_000 + RUNS * 4_000);

  for (const { why, steps } of REGRESSIONS) it(`keeps every promise ${why}`, () => lead(steps));
});
