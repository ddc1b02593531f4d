import { Desk, says } from '../../unit/app/desk.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Measured } from '../report/figure.ts';
import { compareTurns, grow, REPLY, SHORT, turnFigures } from './speed-turns.ts';

/** Ten times what the other figures hold, and more than anyone has said in one session. */
const LONG = 100_000;
const QUICK = 4_000;

/** What a turn costs the host in a session of 100,000 messages: minutes to fill it, so it is measured by itself. */
export async function measureLongTurns({ quick, say }: BenchContext): Promise<Measured> {
  const length = quick ? QUICK : LONG;
  const name = length.toLocaleString('en-US');
  const desk = await Desk.open(says(REPLY));
  try {
    say(`turns: a session of ${name} messages`);
    const large = await desk.converse();
    const filling = await cpuMs(() => grow(large, syntheticSession(length)));
    const small = await desk.converse();
    await grow(small, syntheticSession(SHORT));
    const costs = await compareTurns(desk, small, large, quick ? 240 : 800);
    await small.close();
    await large.close();
    const label = `${name} messages into a journal, compressed as they come`;
    const filled = { id: `speed.long${length}.grow`, label, value: filling / 1_000, unit: 's' } as const;
    return { figures: [...turnFigures(costs, length), filled] };
  } finally {
    await desk.close();
  }
}
