// Plants one fault after another, and reports whether the property test of its promise fails.
//   npm run test:faults -- [--only PROMISE] [--seed N] [--jobs N]
import os from 'node:os';
import { parseArgs } from 'node:util';
import { ExpectedError, runMain } from '../../scripts/support/expected-error.ts';
import { mapLimited } from '../../src/core/compress/map-limited.ts';
import { FAULTS } from './all-faults.ts';
import { plantingProblem, type PlantedFault } from './planted-fault.ts';
import { tryFault, type Trial } from './try-fault.ts';

/** The seed of the property tests, the same as in CI. */
const SEED = 20261122;

const key = ({ spec, title }: PlantedFault): string => `${spec} “${title}”`;
const row = (verdict: string, what: string, { said, seconds }: Trial): void =>
  console.log(`${verdict.padEnd(8)}${what} (${seconds.toFixed(0)} s)${said === '' ? '' : `\n        ${said}`}`);

await runMain(async () => {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, seed: { type: 'string' }, jobs: { type: 'string' } },
  });
  const seed = Number(values.seed ?? SEED);
  const jobs = Number(values.jobs ?? os.availableParallelism());
  const faults = FAULTS.filter(({ promise }) => values.only?.includes(promise) ?? true);
  if (faults.length === 0) throw new ExpectedError(`No fault is planted for ${values.only?.join(', ') ?? ''}.`);
  for (const fault of faults) {
    const why = plantingProblem(fault);
    if (why !== undefined) throw new ExpectedError(`${fault.promise}, “${fault.what}”: ${why}.`);
  }

  // A test that fails without the fault proves nothing.
  const catchers = [...new Map(faults.map((fault) => [key(fault), fault])).values()];
  const sound = await mapLimited(catchers, jobs, async (catcher) => {
    const trial = await tryFault(catcher, seed);
    if (trial.outcome !== 'green') row('ALREADY', `${trial.outcome} without a fault: ${key(catcher)}`, trial);
    return trial.outcome === 'green';
  });
  if (!sound.every(Boolean)) throw new ExpectedError('Tests have to pass before faults are planted.');

  const caught = await mapLimited(faults, jobs, async (fault) => {
    const trial = await tryFault(fault, seed, fault);
    const verdict = { red: 'caught', green: 'MISSED', broken: 'BROKEN' }[trial.outcome];
    row(verdict, `${fault.promise}: ${fault.what}`, trial.outcome === 'green' ? { ...trial, said: '' } : trial);
    return trial.outcome === 'red';
  });
  const promises = new Set(faults.map(({ promise }) => promise));
  const count = caught.filter(Boolean).length;
  console.log(`\n${count} of ${faults.length} faults of ${promises.size} promises were noticed.`);
  if (count < faults.length) process.exitCode = 1;
});
