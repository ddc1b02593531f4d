import { renderEvent } from '../core/context/render.ts';
import { detectSteps, type DetectedEventWithContext } from '../core/events/detect.ts';
import { fitLedger, type FittedLedger } from '../core/events/ledger-budget.ts';
import { Ledger } from '../core/events/ledger.ts';
import { withClaims } from '../core/events/model-events.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import type { LedgerChange } from '../core/journal/event.ts';
import type { KeyEventId, MessageId } from '../core/model/ids.ts';
import type { DetectedEvent, KeyEvent } from '../core/model/key-event.ts';
import { messageText, type Message } from '../core/model/message.ts';
import { resting } from '../core/pace/steps.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import type { PlannedMessage } from './plan-runs.ts';
import type { Clock } from './ports.ts';

/** What a compression would change in the ledger. */
export interface LedgerDraft {
  readonly events: readonly KeyEvent[];
  readonly changes: readonly LedgerChange[];
  /** What was found in the messages, by message. */
  readonly spans: ReadonlyMap<MessageId, readonly DetectedEventWithContext[]>;
  /** Tokens of the ledger in the context afterwards. */
  readonly tokens: number;
}

/** The ledger of the last draft, with what the session looks like if exactly that draft was committed since. */
interface KeptLedger {
  readonly ledger: Ledger;
  readonly revision: number;
  readonly compressions: number;
  readonly events: number;
  /** The branch it was made on: the same list grows, another branch is another list. */
  readonly path: SessionState['path'];
}

/** Finds key events in messages that leave the window and keeps the ledger current and within its budget. */
export class LedgerKeeper {
  readonly #clock: Clock;
  readonly #rules: () => readonly CompiledRule[];
  #kept: KeptLedger | undefined;

  constructor(clock: Clock, rules: () => readonly CompiledRule[]) {
    this.#clock = clock;
    this.#rules = rules;
  }

  unchanged({ before }: Pick<CompressionJob, 'before'>): LedgerDraft {
    return { events: [], changes: [], spans: new Map(), tokens: before.tokens.ledger };
  }

  async draft(job: CompressionJob, items: readonly PlannedMessage[]): Promise<LedgerDraft> {
    const rules = this.#rules();
    const found = new Map<MessageId, readonly DetectedEventWithContext[]>();
    for (const [at, { message, position }] of items.entries()) {
      if (message.role === 'system') continue;
      const text = messageText(message);
      const previous = messageBefore(job.state, position);
      const before = previous && { role: previous.role, text: messageText(previous) };
      const steps = detectSteps({ role: message.role, text }, { rules, ...(before && { before }) });
      const events = await resting(steps, this.#clock.breather);
      if (events.length > 0) found.set(message.id, events);
      if (this.#clock.breather.isDue()) {
        job.report({ stage: 'events', done: at + 1, total: items.length });
        await this.#clock.breather.rest();
        job.signal.throwIfAborted();
      }
    }
    return this.#settle(job, items, found);
  }

  /**
   * A draft with the events that a summarizer has named beside those that were found. Each takes its message's place in
   * the order of things said, so that what is older supersedes nothing that is newer.
   */
  async withNamed(
    job: CompressionJob,
    items: readonly PlannedMessage[],
    draft: LedgerDraft,
    named: ReadonlyMap<MessageId, readonly DetectedEvent[]>,
  ): Promise<LedgerDraft> {
    const all = new Map(draft.spans);
    for (const [id, events] of named) {
      const found = all.get(id) ?? [];
      all.set(id, withClaims(found, events));
    }
    return this.#settle(job, items, all);
  }

  async #settle(
    job: CompressionJob,
    items: readonly PlannedMessage[],
    spans: LedgerDraft['spans'],
  ): Promise<LedgerDraft> {
    const { state } = job;
    // What the user changes from here on is not in this ledger, which must then not be taken for the session's.
    const { ledgerRevision, counters, events: known, path } = state;
    const after = { revision: ledgerRevision + 1, compressions: counters.compressions + 1, path };
    const knownBefore = known.size;
    const ledger = await this.#ledger(job);
    const touched = new Map<KeyEventId, KeyEvent>();
    for (const { message, position } of items) {
      const found = spans.get(message.id) ?? [];
      for (const entry of ledger.add(message.id, found, messageBefore(state, position)?.id))
        touched.set(entry.id, entry);
      await this.#rest(job);
    }
    const fitted = await this.#fit(job, ledger, new Set(items.map((item) => item.position)), touched);
    for (const entry of fitted.changed) touched.set(entry.id, entry);
    const events = [...touched.values()].filter((entry) => !state.events.has(entry.id));
    const changes = [...touched.values()]
      .filter((entry) => state.events.has(entry.id))
      .map(({ id, status, link }): LedgerChange => ({ id, status, ...(link !== undefined && { link }) }));
    // A draft may come to nothing, and its events with it.
    this.#kept = {
      ledger,
      ...after,
      events: knownBefore + events.length,
    };
    return { events, changes, spans, tokens: fitted.tokens };
  }

  async #ledger(job: CompressionJob): Promise<Ledger> {
    const { state } = job;
    const kept = this.#kept;
    this.#kept = undefined;
    if (
      kept?.revision === state.ledgerRevision &&
      kept.compressions === state.counters.compressions &&
      kept.events === state.events.size &&
      kept.path === state.path
    )
      return kept.ledger;
    const ledger = new Ledger();
    for (const entry of [...state.events.values()]) {
      if (state.isRemoved(entry.id)) ledger.refuse(entry.id);
      // What was said on another branch neither absorbs nor supersedes anything here.
      else if (state.positionOf(entry.message) !== undefined) ledger.restore(entry);
      await this.#rest(job);
    }
    return ledger;
  }

  /** What has no room is marked as dropped, and what has room again as active. */
  async #fit(
    job: CompressionJob,
    ledger: Ledger,
    leaving: ReadonlySet<number>,
    touched: ReadonlyMap<KeyEventId, KeyEvent>,
  ): Promise<{ readonly changed: KeyEvent[]; readonly tokens: number }> {
    const { state, budget, counts, settings } = job;
    const stands = ({ status, link }: KeyEvent): boolean =>
      status === 'active' || status === 'dropped' || (link !== undefined && ledger.get(link) === undefined);
    const covered = new Set(leaving);
    for (const { from, to } of state.frontier) for (let at = from; at <= to; at++) covered.add(at);
    // What is still sent word for word takes no room in the ledger.
    const sent = ledger
      .entries()
      .filter((entry) => (entry.pinned || stands(entry)) && covered.has(state.positionOf(entry.message) ?? -1))
      .map((entry): KeyEvent => (stands(entry) ? { ...entry, status: 'active' } : entry));
    const costs: number[] = [];
    for (const entry of sent) {
      costs.push(counts.ledgerLine(entry.id, lineOf(state, entry)));
      await this.#rest(job);
    }
    const room = Math.floor(budget * settings.policy.ledgerShare);
    // A ledger that was kept from the last draft has not heard of what was dropped then; the session has.
    const was = new Map(sent.map(({ id }) => [id, (state.events.get(id) ?? ledger.get(id))?.status]));
    const fitted = fitSeldom(sent, costs, room, (entry) => was.get(entry.id) === 'dropped');
    const changed = [...fitted.kept, ...fitted.dropped].filter((entry) => {
      const status = was.get(entry.id);
      const differs = entry.status !== status || touched.has(entry.id);
      return differs && (status === 'active' || status === 'dropped');
    });
    return { changed, tokens: fitted.tokens };
  }

  async #rest({ signal }: CompressionJob): Promise<void> {
    const { breather } = this.#clock;
    if (!breather.isDue()) return;
    await breather.rest();
    signal.throwIfAborted();
  }
}

/** A ledger that has to drop entries is fitted to this share of its room, so that it need not at the next commits. */
const REFITTED = 0.8;
/** While it takes this share, what was dropped before waits. */
const WELL_FILLED = 0.75;

/**
 * Fits a ledger, a batch at a time: as long as what stands has room nothing is dropped, and nothing that was dropped
 * comes back before there is room for a good deal, since each entry in the midst changes all of a request behind it.
 */
function fitSeldom(
  entries: readonly KeyEvent[],
  costs: readonly number[],
  room: number,
  wasDropped: (entry: KeyEvent) => boolean,
): FittedLedger {
  const whole = fitLedger(entries, costs, room);
  if (whole.dropped.length === 0) return whole;
  const standing = entries.map((entry) => entry.pinned || !wasDropped(entry));
  const tokens = costs.reduce((sum, cost, at) => (standing[at]! ? sum + cost : sum), 0);
  if (tokens > room || tokens < WELL_FILLED * room) return fitLedger(entries, costs, Math.floor(room * REFITTED));
  const kept = entries.filter((_, at) => standing[at]);
  const dropped = entries.filter((_, at) => !standing[at]).map((entry): KeyEvent => ({ ...entry, status: 'dropped' }));
  return { kept, dropped, tokens, pinnedExceed: false };
}

function lineOf(state: SessionState, entry: KeyEvent): string {
  const position = state.positionOf(entry.message) ?? 0;
  return renderEvent(entry, position, state.messages.place(entry.message)?.role ?? 'user');
}

const messageBefore = (state: SessionState, position: number): Message | undefined =>
  position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
