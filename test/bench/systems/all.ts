import type { BenchContext } from '../context.ts';
import { installPeers, peerSystems } from '../peers/load.ts';
import { rollingSummary, truncation } from './plain.ts';
import type { System } from './system.ts';
import { threadkeeper, threadkeeperByCode } from './threadkeeper.ts';

/** Not tried in every way: their settings do not know the budget, or one session takes them most of a minute. */
const SELDOM: ReadonlySet<string> = new Set(['summaryBuffer', 'summaryBufferBest', 'observational', 'pruneMessages']);

/** This product first, then every other way to keep a conversation; other libraries are installed for it. */
export async function allSystems({ say }: BenchContext): Promise<readonly System[]> {
  await installPeers(say);
  return [threadkeeper, threadkeeperByCode, truncation, rollingSummary, ...(await peerSystems())];
}

/** Those that are tried at every budget and length. */
export const oftenTried = async (context: BenchContext): Promise<readonly System[]> =>
  (await allSystems(context)).filter(({ id }) => !SELDOM.has(id));
