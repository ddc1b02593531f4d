import type { Turn } from '../turn-feed.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Given, System } from './system.ts';

/** What came of a session that a system kept. */
export interface Outcome {
  /** All that would be sent next; empty when even that could not be had. */
  readonly text: string;
  readonly spent: { readonly calls: number; readonly input: number; readonly output: number };
  /** Turns that did not fail, of those that were played. */
  readonly proceeded: number;
  readonly played: number;
  /**
   * Milliseconds of CPU time of a turn at the end: the mean of the last tenth, which holds putting the context together
   * or, where it is put together when it is asked for, that once.
   */
  readonly turnMs: number;
}

/**
 * The share of all turns by whose mean the cost of a turn at the end is judged: enough that whoever summarizes now and
 * then does so in it as often as he does elsewhere.
 */
const LAST = 0.1;

/**
 * Plays turns in a system's hands, up to `mostMs` of CPU time: what needs longer is stopped there, and has played
 * fewer turns than there are.
 */
export async function play(
  system: System,
  turns: readonly Turn[],
  given: Given,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  const kept = await system.open(given);
  try {
    const costs: number[] = [];
    let proceeded = 0;
    let spentMs = 0;
    for (const turn of turns) {
      const cost = await cpuMs(async () => {
        try {
          await kept.turn(turn);
          proceeded++;
        } catch {
          // Counted as a turn that did not proceed; the session goes on with the next, as its user would.
        }
      });
      costs.push(cost);
      spentMs += cost;
      if (spentMs > mostMs) break;
    }
    const spent = { ...kept.spent };
    let text = '';
    const contextMs = await cpuMs(async () => {
      text = await kept.context().catch(() => '');
    });
    const last = costs.slice(-Math.ceil(costs.length * LAST));
    const meanMs = last.reduce((sum, cost) => sum + cost, 0) / last.length;
    const turnMs = meanMs + (system.assemblesInTurn ? 0 : contextMs);
    return { text, spent, proceeded, played: costs.length, turnMs };
  } finally {
    await kept.close();
  }
}
