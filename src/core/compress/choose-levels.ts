import type { CompressionRecord } from '../journal/schema.ts';
import type { NodeId } from '../model/ids.ts';
import type { Level, SummaryNode } from '../model/summary.ts';

/** Upper estimate of a node's heading ("[messages 12–80]" and the line break), in tokens. */
export const NODE_HEADING_TOKENS = 12;

export type LevelChoice = CompressionRecord['levels'][number];

/** Tokens of a node at a level, including its heading. */
export const tokensAt = ({ tokens }: SummaryNode, level: Level): number =>
  (tokens[level] ?? tokens.detailed) + NODE_HEADING_TOKENS;

/** Share of the budget to fill when levels are reassigned; the rest is for new summaries. */
const REFILL_SHARE = 0.6;

export const tokensOf = (frontier: readonly SummaryNode[], level: Level): number =>
  frontier.reduce((sum, node) => sum + tokensAt(node, level), 0);

/**
 * Chooses the level of each frontier node (oldest first) so that all fit `budgetTokens`, if their brief texts do: first
 * all brief, then detailed from the newest back, then full from the newest back, if available. No older node is finer
 * than a newer one that could be refined. Nodes in `nearTask` (indexes, nearest first) become detailed before all
 * others, because they are about the current task. With `before`, existing levels are kept and new nodes are detailed
 * as long as everything fits. Otherwise, room is made for several compressions, so that the prompt's prefix rarely
 * changes.
 */
export function chooseLevels(
  frontier: readonly SummaryNode[],
  budgetTokens: number,
  nearTask: readonly number[] = [],
  before?: ReadonlyMap<NodeId, Level>,
): LevelChoice[] {
  if (before) {
    const asBefore = frontier.map(({ id }) => ({ node: id, level: before.get(id) ?? 'detailed' }));
    const tokensBefore = frontier.reduce((sum, node, at) => sum + tokensAt(node, asBefore[at]!.level), 0);
    if (tokensBefore <= budgetTokens) return asBefore;
  }
  const finerUpTo = before ? budgetTokens * REFILL_SHARE : budgetTokens;
  const levels: Level[] = frontier.map(() => 'brief');
  let tokens = tokensOf(frontier, 'brief');
  const refine = (at: number, from: Level, to: Level): boolean => {
    const node = frontier[at]!;
    if (levels[at] !== from || (to === 'full' && node.full === undefined)) return true;
    const more = tokensAt(node, to) - tokensAt(node, from);
    if (tokens + more > finerUpTo) return false;
    levels[at] = to;
    tokens += more;
    return true;
  };
  const refineFromNewest = (from: Level, to: Level): void => {
    for (let at = frontier.length - 1; at >= 0 && refine(at, from, to);) at--;
  };
  for (const at of nearTask) refine(at, 'brief', 'detailed');
  refineFromNewest('brief', 'detailed');
  refineFromNewest('detailed', 'full');
  return frontier.map((node, at) => ({ node: node.id, level: levels[at]! }));
}
