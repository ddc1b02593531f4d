import { Harness, says } from '../../unit/app/harness.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Measured } from '../report/figure.ts';
import { compareTurns, grow, REPLY, SHORT_SESSION_LENGTH, turnFigures } from './speed-turns.ts';

/** Ten times the longest session of the other measurements. */
const LONG = 100_000;
const QUICK = 4_000;

/**
 * The host's cost of a turn in a session of 100,000 messages. Separate from `measureTurns`, because filling the session
 * takes minutes.
 */
export async function measureLongSession({ quick, print }: BenchContext): Promise<Measured> {
  const length = quick ? QUICK : LONG;
  const name = length.toLocaleString('en-US');
  await using harness = await Harness.open(says(REPLY));
  print(`turns: a session of ${name} messages`);
  const large = await harness.converse();
  const filling = await cpuMs(() => grow(large, syntheticSession(length)));
  const small = await harness.converse();
  await grow(small, syntheticSession(SHORT_SESSION_LENGTH));
  const costs = await compareTurns(harness, small, large, quick ? 240 : 800);
  await small.close();
  await large.close();
  const label = `${name} messages into a journal, compressed as they come`;
  const filled = { id: `speed.long${length}.grow`, label, value: filling / 1_000, unit: 's' } as const;
  return { figures: [...turnFigures(costs, length), filled] };
}
