import type { Pace } from '../core/compress/source.ts';
import { countedLine, coverage } from '../core/context/ledger-lines.ts';
import { fitLedger, ledgerRoom, type FittedLedger } from '../core/events/ledger-budget.ts';
import type { Ledger } from '../core/events/ledger.ts';
import type { KeyEventId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { FrontierItem } from '../core/state/frontier.ts';
import type { PrefixFacts } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';

/**
 * If entries must be dropped, the ledger is reduced to this share of its room, so that the next compressions needn't
 * drop any.
 */
const REFITTED = 0.8;
/** Above this share, dropped entries aren't restored. */
const WELL_FILLED = 0.75;
/** Cost of examining an entry, in characters of text. */
const LOOK_CHARS = 20;

/** A session, and the share of the budget for its ledger. */
export interface LedgerRoom extends Pick<CompressionJob, 'budget' | 'counts'> {
  readonly state: Pick<PrefixFacts, 'events' | 'messages' | 'positionOf'> & {
    readonly frontier: readonly Pick<FrontierItem, 'from' | 'to'>[];
  };
  readonly settings: { readonly policy: Pick<Policy, 'ledgerShare'> };
}

export interface LedgerChanges {
  /** Positions of the messages that are no longer recent. */
  readonly leaving: ReadonlySet<number>;
  /** New and changed entries, by ID. */
  readonly touched: ReadonlyMap<KeyEventId, KeyEvent>;
  /** Tokens of all messages that have a summary or are being summarized. */
  readonly coveredTokens: number;
}

/**
 * Fits a ledger into its share of the budget in batches: entries without room are marked as dropped, and those that fit
 * again as active. Nothing is dropped while everything fits, and dropped entries are only restored once there is much
 * room, because every change within the ledger changes the rest of the request. Dropped entries, which are most of a
 * long session's ledger, are only examined when they may be restored.
 */
export async function fitLedgerOf(
  job: LedgerRoom,
  ledger: Ledger,
  { leaving, touched, coveredTokens }: LedgerChanges,
  pace: Pace,
): Promise<{ readonly changed: KeyEvent[]; readonly tokens: number }> {
  const { state, budget, counts, settings } = job;
  const isCovered = coverage(state.frontier);
  // Events in messages that are sent verbatim take no room in the ledger.
  const placeIn = ({ message }: KeyEvent): number | undefined => {
    const position = state.positionOf(message);
    return position !== undefined && (leaving.has(position) || isCovered(position)) ? position : undefined;
  };
  // The cached ledger of the last draft lacks entries that were dropped since; the session has them.
  const statusOf = ({ id }: KeyEvent): KeyEvent['status'] | undefined =>
    (state.events.get(id) ?? ledger.get(id))?.status;
  const stands = ({ status, link }: KeyEvent): boolean =>
    status === 'active' || status === 'dropped' || (link !== undefined && ledger.get(link) === undefined);
  const asActive = (entry: KeyEvent): KeyEvent => (stands(entry) ? { ...entry, status: 'active' } : entry);

  const costs = new Map<KeyEventId, number>();
  const count = async (entries: Iterable<KeyEvent>, upTo = Infinity): Promise<number> => {
    let tokens = 0;
    for (const entry of entries) {
      if (pace.isDue(LOOK_CHARS)) await pace.yield();
      const position = placeIn(entry);
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
  const standing: KeyEvent[] = [];
  const waiting: KeyEvent[] = [];
  for (const entry of ledger.entries()) {
    if (pace.isDue(LOOK_CHARS)) await pace.yield();
    if (!entry.pinned && !stands(entry)) continue;
    sendable.push(entry);
    (!entry.pinned && statusOf(entry) === 'dropped' ? waiting : standing).push(entry);
  }

  const room = ledgerRoom(budget, settings.policy.ledgerShare, coveredTokens);
  const tokens = await count(standing);
  const isWellFilled = tokens <= room && tokens >= WELL_FILLED * room;
  let fitted: Pick<FittedLedger, 'kept' | 'dropped' | 'tokens'>;
  if (isWellFilled && (await count(waiting, room - tokens)) > room - tokens) {
    const dropped = waiting.filter((entry) => touched.has(entry.id) && placeIn(entry) !== undefined);
    fitted = {
      kept: standing.filter(({ id }) => costs.has(id)).map(asActive),
      dropped: dropped.map((entry): KeyEvent => ({ ...entry, status: 'dropped' })),
      tokens,
    };
  } else {
    await count(waiting);
    const all = sendable.filter(({ id }) => costs.has(id));
    const active = all.map(asActive);
    const cost = all.map(({ id }) => costs.get(id)!);
    const whole = fitLedger(active, cost, room);
    fitted = whole.dropped.length === 0 ? whole : fitLedger(active, cost, Math.floor(room * REFITTED));
  }
  const changed = [...fitted.kept, ...fitted.dropped].filter((entry) => {
    const status = statusOf(entry);
    const differs = entry.status !== status || touched.has(entry.id);
    return differs && (status === 'active' || status === 'dropped');
  });
  return { changed, tokens: fitted.tokens };
}
