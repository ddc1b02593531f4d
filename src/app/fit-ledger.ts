import type { Pace } from '../core/compress/source.ts';
import { countedLine, coverage } from '../core/context/ledger-lines.ts';
import { fitLedger, ledgerRoom, type FittedLedger } from '../core/events/ledger-budget.ts';
import type { Ledger } from '../core/events/ledger.ts';
import type { KeyEventId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { FrontierItem } from '../core/state/frontier.ts';
import type { FrontFacts } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';

/** A ledger that has to drop entries is fitted to this share of its room, so that it need not at the next commits. */
const REFITTED = 0.8;
/** While it takes this share, what was dropped before waits. */
const WELL_FILLED = 0.75;
/** A look at one entry takes as long as work on so many characters of text. */
const LOOK_CHARS = 20;

/** A session, and what its ledger may take of the budget. */
export interface LedgerRoom extends Pick<CompressionJob, 'budget' | 'counts'> {
  readonly state: Pick<FrontFacts, 'events' | 'messages' | 'positionOf'> & {
    readonly frontier: readonly Pick<FrontierItem, 'from' | 'to'>[];
  };
  readonly settings: { readonly policy: Pick<Policy, 'ledgerShare'> };
}

export interface LedgerChanges {
  /** Positions of the messages that leave the recent messages now. */
  readonly leaving: ReadonlySet<number>;
  /** Entries that are new or have changed, by id. */
  readonly touched: ReadonlyMap<KeyEventId, KeyEvent>;
  /** Tokens of all messages that have a summary, or leave the recent messages now. */
  readonly coveredTokens: number;
}

/**
 * Fits a ledger into its share of the budget, a batch at a time: what has no room is marked as dropped, and what has
 * room again as active. As long as what stands has room nothing is dropped, and nothing that was dropped comes back
 * before there is room for a good deal, since each entry in the midst changes all of a request behind it. What was
 * dropped, which is most of a long session's ledger, is looked at only where it may come back.
 */
export async function fitLedgerOf(
  job: LedgerRoom,
  ledger: Ledger,
  { leaving, touched, coveredTokens }: LedgerChanges,
  pace: Pace,
): Promise<{ readonly changed: KeyEvent[]; readonly tokens: number }> {
  const { state, budget, counts, settings } = job;
  const isCovered = coverage(state.frontier);
  // What is still sent word for word takes no room in the ledger.
  const placeIn = ({ message }: KeyEvent): number | undefined => {
    const position = state.positionOf(message);
    return position !== undefined && (leaving.has(position) || isCovered(position)) ? position : undefined;
  };
  // A ledger that was kept from the last draft has not heard of what was dropped then; the session has.
  const statusOf = ({ id }: KeyEvent): KeyEvent['status'] | undefined =>
    (state.events.get(id) ?? ledger.get(id))?.status;
  const stands = ({ status, link }: KeyEvent): boolean =>
    status === 'active' || status === 'dropped' || (link !== undefined && ledger.get(link) === undefined);
  const asActive = (entry: KeyEvent): KeyEvent => (stands(entry) ? { ...entry, status: 'active' } : entry);

  const costs = new Map<KeyEventId, number>();
  const count = async (entries: Iterable<KeyEvent>, upTo = Infinity): Promise<number> => {
    let tokens = 0;
    for (const entry of entries) {
      if (pace.isDue(LOOK_CHARS)) await pace.rest();
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
    if (pace.isDue(LOOK_CHARS)) await pace.rest();
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
