import type { CompressionRecord, SessionEvent } from '../journal/schema.ts';
import type { NodeId } from '../model/ids.ts';

/** Sums over the session's life; they survive compression. Tokens, messages, US dollars. */
export const noCounts = () => ({
  messagesEver: 0,
  compressions: 0,
  tokensSaved: 0,
  compressionTokens: 0,
  compressionCostUsd: 0,
  chatTokens: 0,
  chatCostUsd: 0,
});
export type Counters = ReturnType<typeof noCounts>;

/** A compression as the list of compressions shows it. */
export type CompressionEntry = Omit<CompressionRecord, 'nodes' | 'events' | 'changes' | 'levels'> & {
  readonly at: number;
  readonly nodes: readonly NodeId[];
};

/** What a compression cost, in US dollars; null where the price of its model is not known, which is kept as 0. */
export const knownCost = ({ count, costUsd }: CompressionEntry['calls']): number | null =>
  count > 0 && costUsd === 0 ? null : costUsd;

/** Tokens that were saved by the compressions that have not been undone. */
export const tokensStillSaved = ({ compressions, summaries }: Compressed): number =>
  compressions
    .filter(({ id }) => !summaries.isCompressionUndone(id))
    .reduce((sum, { tokens: { before, after } }) => sum + Math.max(0, before - after), 0);

interface Compressed {
  readonly compressions: readonly Pick<CompressionEntry, 'id' | 'tokens'>[];
  readonly summaries: { isCompressionUndone(compression: CompressionEntry['id']): boolean };
}

export function countUsage(
  counters: Counters,
  { purpose, usage, costUsd }: Extract<SessionEvent, { type: 'usage_recorded' }>,
): void {
  counters[`${purpose}Tokens`] += usage.input + usage.output;
  counters[`${purpose}CostUsd`] += costUsd ?? 0;
}

/** Counts a committed compression, and gives its entry in the list. */
export function countCompression(counters: Counters, record: CompressionRecord, at: number): CompressionEntry {
  const { nodes, events: _events, changes: _changes, levels: _levels, ...entry } = record;
  counters.compressions++;
  counters.tokensSaved += Math.max(0, record.tokens.before - record.tokens.after);
  return { ...entry, at, nodes: nodes.map((node) => node.id) };
}
