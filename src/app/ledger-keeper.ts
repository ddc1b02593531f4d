import { Pace } from '../core/compress/source.ts';
import { isRetelling } from '../core/compress/telling.ts';
import { detectSteps, type DetectedEventWithContext } from '../core/events/detect.ts';
import { Ledger } from '../core/events/ledger.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import type { LedgerChange } from '../core/journal/schema.ts';
import type { KeyEventId, MessageId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { messageText, type Message } from '../core/model/message.ts';
import type { PresetName } from '../core/prompts/render.ts';
import { resting } from '../core/pace/steps.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import { fitLedgerOf } from './fit-ledger.ts';
import type { PlannedMessage } from './compression-plan.ts';
import type { Clock } from './ports.ts';

/** What a compression would change in the ledger. */
export interface LedgerDraft {
  readonly events: readonly KeyEvent[];
  readonly changes: readonly LedgerChange[];
  /** What was found in the messages, by message. */
  readonly spans: ReadonlyMap<MessageId, readonly DetectedEventWithContext[]>;
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
  readonly #rules: () => Promise<readonly CompiledRule[]>;
  readonly #preset: () => PresetName;
  #kept: KeptLedger | undefined;

  constructor(clock: Clock, rules: () => Promise<readonly CompiledRule[]>, preset: () => PresetName) {
    this.#clock = clock;
    this.#rules = rules;
    this.#preset = preset;
  }

  async draft(job: CompressionJob, items: readonly PlannedMessage[]): Promise<LedgerDraft> {
    const rules = await this.#rules();
    const preset = this.#preset();
    const found = new Map<MessageId, readonly DetectedEventWithContext[]>();
    for (const [at, { message, position }] of items.entries()) {
      if (message.role === 'system') continue;
      const text = messageText(message);
      if (isRetelling(text, position)) continue;
      const previous = messageBefore(job.state, position);
      const before = previous && { role: previous.role, text: messageText(previous) };
      const steps = detectSteps(
        { role: message.role, text, pasted: message.pasted },
        { rules, preset, ...(before && { before }) },
      );
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
    const pace = new Pace(this.#clock.breather, job.signal);
    const ledger = await this.#ledger(job, pace);
    const touched = new Map<KeyEventId, KeyEvent>();
    for (const { message, position } of items) {
      const found = spans.get(message.id) ?? [];
      for (const entry of ledger.add(message.id, found, messageBefore(state, position)?.id))
        touched.set(entry.id, entry);
      if (pace.isDue()) await pace.rest();
    }
    const leaving = new Set(items.map((item) => item.position));
    const coveredTokens =
      items.reduce((sum, { tokens }) => sum + tokens, 0) +
      state.frontier.reduce((sum, { node, from }) => sum + (leaving.has(from) ? 0 : node.tokens.source), 0);
    const fitted = await fitLedgerOf(job, ledger, { leaving, touched, coveredTokens }, pace);
    for (const entry of fitted.changed) touched.set(entry.id, entry);
    const events = [...touched.values()].filter((entry) => !state.events.has(entry.id));
    const changes = [...touched.values()]
      .filter((entry) => state.events.has(entry.id))
      .map(({ id, status, link }): LedgerChange => ({ id, status, ...(link !== undefined && { link }) }));
    // A draft may come to nothing, and its events with it.
    this.#kept = { ledger, ...after, events: knownBefore + events.length };
    return { events, changes, spans };
  }

  async #ledger({ state }: CompressionJob, pace: Pace): Promise<Ledger> {
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
      else if (state.positionOf(entry.message) !== undefined) ledger.restore(entry, kept?.ledger);
      if (pace.isDue(entry.quote.length)) await pace.rest();
    }
    return ledger;
  }
}

const messageBefore = (state: SessionState, position: number): Message | undefined =>
  position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
