import type { Context } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** Less room than this holds no excerpt worth having. */
const MIN_ROOM_TOKENS = 50;

/** Excerpts of compressed history that match a new message and fit beside it; a turn and its preview find the same. */
export async function recallWithin(
  turn: {
    readonly text: string;
    /** The request without excerpts. */
    readonly context: Context;
    readonly budget: number;
    /** The part of the budget that excerpts may take. */
    readonly share: number;
    readonly recall: (text: string, budgetTokens: number) => Promise<readonly Recalled[]>;
    readonly assemble: (recalled: readonly Recalled[]) => Context;
  },
  state: SessionState,
): Promise<readonly Recalled[]> {
  const { text, context, budget, share } = turn;
  const room = Math.min(Math.floor(budget * share), budget - context.total);
  if (text === '' || room < MIN_ROOM_TOKENS || state.frontier.length === 0) return [];
  const recalled = await turn.recall(text, room);
  return turn.assemble(recalled).total > budget ? [] : recalled;
}
