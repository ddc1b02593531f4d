import type { Context } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { Calibration } from '../core/tokens/calibration.ts';
import type { CompressionTriggers } from './compression-triggers.ts';
import { ModelFault } from './fault.ts';
import type { ChatModel } from './ports.ts';
import { recallWithin } from './recall.ts';
import { streamReply, type ReplyDeps } from './reply-stream.ts';
import type { ConversationSettings } from './settings.ts';
import { ContextOverflow, TurnRunning } from './turn-refused.ts';

export interface TurnDeps extends ReplyDeps {
  readonly triggers: CompressionTriggers;
  readonly calibration: () => Calibration | undefined;
  /** Throws `ModelFault` when the chosen model cannot be had (no key). */
  readonly chatModel: () => Promise<ChatModel>;
  /** Excerpts of compressed history that match a text, within a number of tokens. */
  readonly recall: (text: string, budgetTokens: number) => Promise<readonly Recalled[]>;
  /** What is done between this turn and the next; `reply` is the one that was kept. Never rejects. */
  readonly afterTurn: (reply: MessageId | undefined) => Promise<void>;
}

/** Runs one turn at a time: what is said, room for the request, the reply, what follows it. */
export class TurnRunner {
  readonly #deps: TurnDeps;
  #turn: AbortController | undefined;
  #end: Promise<unknown> = Promise.resolve();
  /** The last reply thought until the output limit: the next one gets more room. */
  #moreRoom = false;
  #settings: ConversationSettings | undefined;
  #asked: { readonly calibration: Calibration | undefined } | undefined;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  /** What the turn that runs acts on; undefined between turns. */
  get settings(): ConversationSettings | undefined {
    return this.#settings;
  }

  /** Who the turn that runs has asked: another model may be chosen meanwhile, which counts otherwise. */
  get asked(): { readonly calibration: Calibration | undefined } | undefined {
    return this.#asked;
  }

  get isReplying(): boolean {
    return this.#turn !== undefined;
  }

  /** Resolves when no turn runs and what follows the last one is done. */
  get ended(): Promise<unknown> {
    return this.#end;
  }

  /** Ends the reply that is arriving; what has come is kept. */
  stop(): void {
    this.#turn?.abort();
  }

  /**
   * `say` journals what the turn starts with and gives its text. Rejects with `TurnRunning`, `ContextOverflow`,
   * `StoreFault` or `ModelFault`, when what follows the turn is done.
   */
  async run(say: (signal: AbortSignal) => Promise<string>): Promise<void> {
    if (this.#turn) throw new TurnRunning();
    const turn = new AbortController();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = turn;
    this.#end = promise;
    /** The reply that was begun last in this turn. */
    let begun: MessageId | undefined;
    let failure: unknown;
    const { afterTurn, calibration, chatModel, journal, onUpdate } = this.#deps;
    try {
      this.#settings = this.#deps.settings();
      const text = await say(turn.signal);
      this.#asked = { calibration: calibration() };
      const model = await chatModel();
      await this.#reply(model, text, turn.signal, (id) => {
        begun = id;
      });
      this.#moreRoom = false;
    } catch (error) {
      failure = error;
      this.#moreRoom = ModelFault.is(error, 'output_limit');
      throw error;
    } finally {
      this.#turn = undefined;
      this.#settings = undefined;
      this.#asked = undefined;
      const reply = begun !== undefined && journal.state.messages.has(begun) ? begun : undefined;
      onUpdate({ type: 'turn_ended', id: reply, error: failure });
      await afterTurn(reply);
      resolve(undefined);
    }
  }

  /** When the provider calls the request too long, it is compressed and sent once more. */
  async #reply(model: ChatModel, text: string, signal: AbortSignal, begun: (id: MessageId) => void): Promise<void> {
    const { meter, triggers } = this.#deps;
    const replies: ReplyDeps = {
      ...this.#deps,
      onUpdate: (update) => {
        if (update.type === 'reply_started') begun(update.id);
        this.#deps.onUpdate(update);
      },
    };
    const first = await this.#makeRoom(text, signal);
    if (!first) return;
    try {
      await streamReply(replies, model, first, signal, this.#moreRoom);
    } catch (error) {
      if (!ModelFault.is(error, 'context_too_long')) throw error;
      const refused = meter.context(first);
      meter.refused(refused);
      const isShorter = await triggers.afterRefusal(refused.total, signal);
      if (!isShorter && !signal.aborted) throw error;
      const second = await this.#makeRoom(text, signal);
      if (second) await streamReply(replies, model, second, signal, this.#moreRoom);
    }
  }

  /**
   * Makes sure that the request fits: compression first, then a halved window, then the escalation. Undefined when the
   * user has stopped the turn meanwhile.
   */
  async #makeRoom(text: string, signal: AbortSignal): Promise<readonly Recalled[] | undefined> {
    const { journal, meter, onUpdate, recall, settings, triggers } = this.#deps;
    const { recallShare } = settings();
    const budget = meter.budget();
    await triggers.beforeSend(signal);
    if (signal.aborted) return undefined;
    const { total } = meter.context();
    if (total > budget) {
      await journal.append({ type: 'escalation', reason: 'token_overflow' });
      throw new ContextOverflow(total, budget);
    }
    await triggers.endEscalation();
    const { state } = journal;
    const assemble = (excerpts: readonly Recalled[]): Context => meter.context(excerpts);
    const found = { text, context: meter.context(), budget, share: recallShare, recall, assemble };
    const recalled = await recallWithin(found, state);
    if (recalled.length > 0 && state.head !== null)
      onUpdate({ type: 'recalled', message: state.head, excerpts: recalled });
    return recalled;
  }
}
