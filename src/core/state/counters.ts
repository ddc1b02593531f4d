import type { CompressionRecord } from '../journal/schema.ts';
import type { NodeId } from '../model/ids.ts';

/** Totals of all messages and requests of a session. A compression doesn't reset them. */
export const initialCounters = () => ({
  messagesEver: 0,
  compressions: 0,
  compressionTokens: 0,
  compressionCostUsd: 0,
  chatTokens: 0,
  chatCostUsd: 0,
});
export type Counters = ReturnType<typeof initialCounters>;

export type CompressionEntry = Omit<CompressionRecord, 'nodes' | 'events' | 'changes' | 'levels'> & {
  readonly at: number;
  readonly nodes: readonly NodeId[];
};

/** The cost of a compression in US dollars; null if the model's price is unknown, for which 0 is stored. */
export const knownCost = ({ count, costUsd }: CompressionEntry['calls']): number | null =>
  count > 0 && costUsd === 0 ? null : costUsd;

type Sizes = CompressionEntry['tokens'];

/** Tokens saved by compressions that weren't undone, as `convert` converts their sizes. */
export const tokensStillSaved = ({ compressions, summaries }: Compressed, convert: (counted: Sizes) => Sizes): number =>
  compressions
    .filter(({ id }) => !summaries.isCompressionUndone(id))
    .map(({ tokens }) => convert(tokens))
    .reduce((sum, { before, after }) => sum + Math.max(0, before - after), 0);

interface Compressed {
  readonly compressions: readonly Pick<CompressionEntry, 'id' | 'tokens'>[];
  readonly summaries: { isCompressionUndone(compression: CompressionEntry['id']): boolean };
}
