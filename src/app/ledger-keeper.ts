import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { isRecap } from '../core/compress/passage-weights.ts';
import { frontierItemAt } from '../core/context/ledger-lines.ts';
import { areSummariesAsWritten, summarizedShares } from '../core/context/summarized-events.ts';
import { detectSteps, type DetectedEventWithContext } from '../core/events/detect.ts';
import { Ledger } from '../core/events/ledger.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import type { LedgerChange } from '../core/journal/schema.ts';
import type { KeyEventId, MessageId, NodeId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { isLocalReply, messageText, type Message } from '../core/model/message.ts';
import type { PresetName } from '../core/prompts/render-prompts.ts';
import { runYielding } from '../core/pace/steps.ts';
import type { PrefixFacts, SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import { fitLedgerInBatches } from './fit-ledger.ts';
import type { PlannedMessage } from './compression-plan.ts';
import type { Clock } from './ports.ts';

/** The ledger changes of a compression before it's committed. */
export interface LedgerDraft {
  readonly events: readonly KeyEvent[];
  readonly changes: readonly LedgerChange[];
  readonly detected: ReadonlyMap<MessageId, readonly DetectedEventWithContext[]>;
}

/** The ledger of the last draft. If the other fields match the session, nothing else was committed, so it's reused. */
interface CachedLedger {
  readonly ledger: Ledger;
  readonly revision: number;
  readonly compressions: number;
  readonly events: number;
  /** Compared by identity: a branch keeps its array while it grows, and switching branches creates another one. */
  readonly path: SessionState['path'];
}

export interface LedgerKeeperDeps {
  readonly clock: Clock;
  readonly preset: () => PresetName;
  readonly rules?: () => Promise<readonly CompiledRule[]>;
}

/** Detects the key events of messages to compress, and keeps the ledger within its budget. */
export class LedgerKeeper {
  readonly #deps: LedgerKeeperDeps;
  #cached: CachedLedger | undefined;

  constructor(deps: LedgerKeeperDeps) {
    this.#deps = deps;
  }

  async draft(job: CompressionJob, items: readonly PlannedMessage[]): Promise<LedgerDraft> {
    const { yielder } = this.#deps.clock;
    const rules = (await this.#deps.rules?.()) ?? [];
    const preset = this.#deps.preset();
    const found = new Map<MessageId, readonly DetectedEventWithContext[]>();
    for (const [at, { message, position }] of items.entries()) {
      if (message.role === 'system' || isLocalReply(message)) continue;
      const text = messageText(message);
      if (isRecap(text, position)) continue;
      const previous = messageBefore(job.state, position);
      const before = previous && { role: previous.role, text: messageText(previous) };
      const steps = detectSteps(
        { role: message.role, text, pasted: message.pasted },
        { rules, preset, ...(before && { before }) },
      );
      const events = await runYielding(steps, yielder);
      if (events.length > 0) found.set(message.id, events);
      if (yielder.isDue()) {
        job.report({ stage: 'events', done: at + 1, total: items.length });
        await yielder.yield();
        job.signal.throwIfAborted();
      }
    }
    return this.#updateLedger(job, items, found);
  }

  async #updateLedger(
    job: CompressionJob,
    items: readonly PlannedMessage[],
    detected: LedgerDraft['detected'],
  ): Promise<LedgerDraft> {
    const { state } = job;
    // Read before the first await. If the user then changes the ledger, the cached one doesn't match anymore.
    const { ledgerRevision, counters, events: known, path } = state;
    const after = { revision: ledgerRevision + 1, compressions: counters.compressions + 1, path };
    const knownBefore = known.size;
    const pace = new CancellableYielder(this.#deps.clock.yielder, job.signal);
    const ledger = await this.#ledger(job, pace);
    const updated = new Map<KeyEventId, KeyEvent>();
    for (const { message, position } of items) {
      const found = detected.get(message.id) ?? [];
      for (const entry of ledger.add(message.id, found, messageBefore(state, position)?.id))
        updated.set(entry.id, entry);
      if (pace.isDue()) await pace.yield();
    }
    const newlyCovered = new Set(items.map((item) => item.position));
    const coveredTokens =
      items.reduce((sum, { tokens }) => sum + tokens, 0) +
      state.frontier.reduce((sum, { node, from }) => sum + (newlyCovered.has(from) ? 0 : node.tokens.source), 0);
    const refitted = await fitLedgerInBatches(job, ledger, { newlyCovered, updated, coveredTokens }, pace);
    for (const entry of refitted) updated.set(entry.id, entry);
    const events = [...updated.values()].filter((entry) => !state.events.has(entry.id));
    const changes = [...updated.values()]
      .filter((entry) => state.events.has(entry.id))
      .map(({ id, status, link }): LedgerChange => ({ id, status, ...(link !== undefined && { link }) }));
    // If the draft is discarded, these values won't match the session's, and the ledger is rebuilt.
    this.#cached = { ledger, ...after, events: knownBefore + events.length };
    return { events, changes, detected };
  }

  /**
   * Selects the ledger's entries again after a model has written the summaries. Events that these contain make room for
   * events that the model didn't read, and the ledger may use the room that the summaries don't need.
   *
   * @param after the session as if the draft and the summaries were committed
   * @param read what the model read for each new summary
   * @param spareTokens tokens by which the ledger may grow
   */
  async refit(
    job: CompressionJob,
    draft: LedgerDraft,
    after: PrefixFacts,
    read: ReadonlyMap<NodeId, string>,
    spareTokens: number,
  ): Promise<LedgerDraft> {
    const ledger = this.#cached?.ledger;
    const isComplete = ![...after.events.values()].some(({ status }) => status === 'dropped');
    const isAsWritten = areSummariesAsWritten(after);
    if (!ledger || isComplete || (!isAsWritten && spareTokens === 0)) return draft;
    const pace = new CancellableYielder(this.#deps.clock.yielder, job.signal);
    const placeOf = ({ message }: KeyEvent) => {
      const node = frontierItemAt(after.frontier, after.positionOf(message) ?? -1)?.node;
      return node && { node, role: after.messages.place(message)?.role ?? 'user' };
    };
    const shares = await summarizedShares(isAsWritten ? draft.events : [], read, placeOf, pace);
    const marked = draft.events.map((event): KeyEvent => {
      const summarized = shares.get(event.id);
      return summarized === undefined ? event : { ...event, summarized };
    });
    const state = {
      ...after,
      events: new Map([...after.events, ...marked.map((event) => [event.id, event] as const)]),
    };
    const coveredTokens = after.frontier.reduce((sum, { node }) => sum + node.tokens.source, 0);
    const changed = { newlyCovered: new Set<number>(), updated: new Map<KeyEventId, KeyEvent>() };
    const refitted = await fitLedgerInBatches(
      { ...job, state },
      ledger,
      { ...changed, coveredTokens, spareTokens },
      pace,
    );
    const statuses = new Map(refitted.map(({ id, status }) => [id, status]));
    const changes = new Map(draft.changes.map((change) => [change.id, change]));
    for (const [id, status] of statuses)
      if (job.state.events.has(id)) changes.set(id, { ...changes.get(id), id, status });
    const events = marked.map((event) => ({ ...event, status: statuses.get(event.id) ?? event.status }));
    return { ...draft, events, changes: [...changes.values()] };
  }

  async #ledger({ state }: CompressionJob, pace: CancellableYielder): Promise<Ledger> {
    const cached = this.#cached;
    this.#cached = undefined;
    if (
      cached?.revision === state.ledgerRevision &&
      cached.compressions === state.counters.compressions &&
      cached.events === state.events.size &&
      cached.path === state.path
    )
      return cached.ledger;
    const ledger = new Ledger();
    for (const entry of [...state.events.values()]) {
      if (state.isRemoved(entry.id)) ledger.dismiss(entry.id);
      // Events of other branches neither absorb nor supersede events of this one. Dropped ones can still be superseded.
      else if (state.positionOf(entry.message) !== undefined)
        ledger.restore(entry.status === 'dropped' ? { ...entry, status: 'active' } : entry, cached?.ledger);
      if (pace.isDue(entry.quote.length)) await pace.yield();
    }
    return ledger;
  }
}

const messageBefore = (state: SessionState, position: number): Message | undefined =>
  position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
