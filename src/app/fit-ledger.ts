import type { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { countedLine, createCoverageTest, frontierItemAt } from '../core/context/ledger-lines.ts';
import { areSummariesAsWritten } from '../core/context/summarized-events.ts';
import { fitLedger, ledgerRoom, roomBesideSummaries, type FittedLedger } from '../core/events/ledger-budget.ts';
import type { Ledger } from '../core/events/ledger.ts';
import type { KeyEventId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { SummaryMethod } from '../core/model/summary.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { PrefixFacts } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';

/** When entries must be dropped, the ledger is reduced to this share of its room, so that the next drop comes later. */
const REDUCED_SHARE = 0.8;
/** If the ledger takes at least this share of its room, dropped entries are only restored if all of them fit. */
const MAX_SHARE_TO_RESTORE = 0.75;
/** With less room to grow, a ledger beside merged summaries stays as it is. */
const MIN_GROWTH_TOKENS = 40;
/** The cost of checking an entry, in the characters that `CancellableYielder` counts. */
const CHECK_COST_CHARS = 20;

/** How models' summaries are made, unless the user has edited them. */
const WRITTEN_BY_MODEL: ReadonlySet<SummaryMethod> = new Set(['model', 'retry', 'tight']);

export interface LedgerInput extends Pick<CompressionJob, 'budget' | 'counts'> {
  readonly state: Pick<PrefixFacts, 'events' | 'frontier' | 'levels' | 'messages' | 'positionOf'>;
  readonly settings: { readonly policy: Pick<Policy, 'ledgerShare'> };
}

export interface LedgerChanges {
  /** Positions of the messages that this compression covers. */
  readonly newlyCovered: ReadonlySet<number>;
  /** New and changed entries, by ID. */
  readonly updated: ReadonlyMap<KeyEventId, KeyEvent>;
  /** Tokens of all messages that are covered, including newly covered ones. */
  readonly coveredTokens: number;
  /** Set to choose from all entries again, within the tokens that are used now and up to so many more. */
  readonly spareTokens?: number;
}

/**
 * Fits a ledger into its share of the budget: entries without room are marked as dropped, and those that fit again as
 * active. Both happen in batches, because a change within the ledger invalidates the prompt cache for the rest of the
 * request. Dropped entries, which are most of a long session's ledger, are only checked when they may be restored.
 * Resolves to the changed entries.
 */
export async function fitLedgerInBatches(
  job: LedgerInput,
  ledger: Ledger,
  { newlyCovered, updated, coveredTokens, spareTokens }: LedgerChanges,
  pace: CancellableYielder,
): Promise<KeyEvent[]> {
  const { state, budget, counts, settings } = job;
  const isCovered = createCoverageTest(state.frontier);
  // Events of messages that are sent verbatim aren't sent in the ledger.
  const coveredPosition = ({ message }: KeyEvent): number | undefined => {
    const position = state.positionOf(message);
    return position !== undefined && (newlyCovered.has(position) || isCovered(position)) ? position : undefined;
  };
  // The session's status takes precedence, because a cached ledger doesn't record which entries were dropped.
  const statusOf = ({ id }: KeyEvent): KeyEvent['status'] | undefined =>
    (state.events.get(id) ?? ledger.get(id))?.status;
  const mayBeActive = ({ status, link }: KeyEvent): boolean =>
    status === 'active' || status === 'dropped' || (link !== undefined && ledger.get(link) === undefined);
  const asActive = (entry: KeyEvent): KeyEvent => (mayBeActive(entry) ? { ...entry, status: 'active' } : entry);
  const isAsWritten = areSummariesAsWritten(state);
  const withSummarized = (entry: KeyEvent): KeyEvent => {
    const node = frontierItemAt(state.frontier, coveredPosition(entry)!)?.node;
    const isByModel = node !== undefined && WRITTEN_BY_MODEL.has(node.rung);
    const summarized = isAsWritten && isByModel ? state.events.get(entry.id)?.summarized : undefined;
    return summarized === entry.summarized ? entry : { ...entry, summarized };
  };
  /** Whether entries were chosen beside a summary that was undone since. */
  let isOutdated = false;

  const costs = new Map<KeyEventId, number>();
  const count = async (entries: Iterable<KeyEvent>, upTo = Infinity): Promise<number> => {
    let tokens = 0;
    for (const entry of entries) {
      if (pace.isDue(CHECK_COST_CHARS)) await pace.yield();
      const position = coveredPosition(entry);
      if (position === undefined) continue;
      const role = state.messages.place(entry.message)?.role ?? 'user';
      const cost = countedLine(counts, entry, position, role).tokens;
      costs.set(entry.id, cost);
      tokens += cost;
      if (tokens > upTo) break;
    }
    return tokens;
  };
  const sendable: KeyEvent[] = [];
  const included: KeyEvent[] = [];
  const excluded: KeyEvent[] = [];
  for (const entry of ledger.entries()) {
    if (pace.isDue(CHECK_COST_CHARS)) await pace.yield();
    if (!entry.pinned && !mayBeActive(entry)) continue;
    sendable.push(entry);
    isOutdated ||=
      state.events.get(entry.id)?.summarized !== undefined && newlyCovered.has(state.positionOf(entry.message) ?? -1);
    (!entry.pinned && statusOf(entry) === 'dropped' ? excluded : included).push(entry);
  }

  const room = ledgerRoom(budget, settings.policy.ledgerShare, coveredTokens);
  const tokens = await count(included);
  const isRefit = spareTokens !== undefined;
  const grownRoom = roomBesideSummaries(budget, settings.policy.ledgerShare, coveredTokens);
  const refitRoom = Math.max(tokens, Math.min(tokens + (spareTokens ?? 0), grownRoom));
  if (isRefit && spareTokens > 0 && !isAsWritten && refitRoom - tokens < MIN_GROWTH_TOKENS) return [];
  const isWellFilled = !isRefit && !isOutdated && tokens <= room && tokens >= MAX_SHARE_TO_RESTORE * room;
  let fitted: FittedLedger;
  if (isWellFilled && (await count(excluded, room - tokens)) > room - tokens) {
    const dropped = excluded.filter((entry) => updated.has(entry.id) && coveredPosition(entry) !== undefined);
    fitted = {
      kept: included.filter(({ id }) => costs.has(id)).map(asActive),
      dropped: dropped.map((entry): KeyEvent => ({ ...entry, status: 'dropped' })),
    };
  } else {
    await count(excluded);
    const all = sendable.filter(({ id }) => costs.has(id));
    const active = all.map((entry) => withSummarized(asActive(entry)));
    const cost = all.map(({ id }) => costs.get(id)!);
    const whole = fitLedger(active, cost, isRefit ? refitRoom : room);
    const isReduced = !isRefit && whole.dropped.length > 0;
    fitted = isReduced ? fitLedger(active, cost, Math.floor(room * REDUCED_SHARE)) : whole;
  }
  return [...fitted.kept, ...fitted.dropped].filter((entry) => {
    const status = statusOf(entry);
    const differs = entry.status !== status || updated.has(entry.id);
    return differs && (status === 'active' || status === 'dropped');
  });
}
