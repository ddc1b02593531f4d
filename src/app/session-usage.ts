import { buildCorpus } from '../core/compress/corpus.ts';
import type { Pace } from '../core/compress/source.ts';
import type { TermUsage } from '../core/compress/term-usage.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** Messages that are enough to tell what a session says everywhere. */
const SAMPLED = 500;

/** Counts the terms of a session that was opened: those of some of its messages that have summaries, evenly spread. */
export async function readUsage(
  usage: TermUsage,
  { path, messages, frontier }: SessionState,
  pace: Pace,
): Promise<void> {
  const covered = frontier.flatMap(({ from, to }) => path.slice(from, to + 1));
  const every = Math.max(1, Math.ceil(covered.length / SAMPLED));
  const sampled = covered.filter((_, at) => at % every === 0).flatMap((id) => messages.get(id) ?? []);
  if (sampled.length > 0) await usage.add(await buildCorpus(sampled, pace), sampled, 0, pace);
}
