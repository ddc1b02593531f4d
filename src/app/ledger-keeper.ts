import { Pace } from '../core/compress/source.ts';
import { isRetelling } from '../core/compress/passage-weights.ts';
import { detectSteps, type DetectedEventWithContext } from '../core/events/detect.ts';
import { Ledger } from '../core/events/ledger.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import type { LedgerChange } from '../core/journal/schema.ts';
import type { KeyEventId, MessageId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { messageText, type Message } from '../core/model/message.ts';
import type { PresetName } from '../core/prompts/render.ts';
import { runYielding } from '../core/pace/steps.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import { fitLedgerOf } from './fit-ledger.ts';
import type { PlannedMessage } from './compression-plan.ts';
import type { Clock } from './ports.ts';

/** The ledger changes of a compression that isn't committed yet. */
export interface LedgerDraft {
  readonly events: readonly KeyEvent[];
  readonly changes: readonly LedgerChange[];
  /** Detected key events by message. */
  readonly spans: ReadonlyMap<MessageId, readonly DetectedEventWithContext[]>;
}

/** The ledger of the last draft. The other fields are the session's if that draft was committed and nothing else. */
interface KeptLedger {
  readonly ledger: Ledger;
  readonly revision: number;
  readonly compressions: number;
  readonly events: number;
  /** Compared by identity: a branch keeps its array as it grows, and switching branches creates another one. */
  readonly path: SessionState['path'];
}

export interface LedgerKeeperDeps {
  readonly clock: Clock;
  readonly preset: () => PresetName;
  /** The user's rules for key events. */
  readonly rules?: () => Promise<readonly CompiledRule[]>;
}

/** Detects key events in messages that are no longer recent, and keeps the ledger up to date and within its budget. */
export class LedgerKeeper {
  readonly #deps: LedgerKeeperDeps;
  #kept: KeptLedger | undefined;

  constructor(deps: LedgerKeeperDeps) {
    this.#deps = deps;
  }

  async draft(job: CompressionJob, items: readonly PlannedMessage[]): Promise<LedgerDraft> {
    const { yielder } = this.#deps.clock;
    const rules = (await this.#deps.rules?.()) ?? [];
    const preset = this.#deps.preset();
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
      const events = await runYielding(steps, yielder);
      if (events.length > 0) found.set(message.id, events);
      if (yielder.isDue()) {
        job.report({ stage: 'events', done: at + 1, total: items.length });
        await yielder.yield();
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
    // Read before the first await: if the user changes the ledger meanwhile, this one must not be reused.
    const { ledgerRevision, counters, events: known, path } = state;
    const after = { revision: ledgerRevision + 1, compressions: counters.compressions + 1, path };
    const knownBefore = known.size;
    const pace = new Pace(this.#deps.clock.yielder, job.signal);
    const ledger = await this.#ledger(job, pace);
    const touched = new Map<KeyEventId, KeyEvent>();
    for (const { message, position } of items) {
      const found = spans.get(message.id) ?? [];
      for (const entry of ledger.add(message.id, found, messageBefore(state, position)?.id))
        touched.set(entry.id, entry);
      if (pace.isDue()) await pace.yield();
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
    // If the draft is discarded, these numbers won't match the session's, and the ledger is rebuilt.
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
      if (state.isRemoved(entry.id)) ledger.dismiss(entry.id);
      // Events of other branches neither absorb nor supersede events of this one.
      else if (state.positionOf(entry.message) !== undefined) ledger.restore(entry, kept?.ledger);
      if (pace.isDue(entry.quote.length)) await pace.yield();
    }
    return ledger;
  }
}

const messageBefore = (state: SessionState, position: number): Message | undefined =>
  position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
