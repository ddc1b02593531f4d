import assert from 'node:assert/strict';
import {
  compressionsSince,
  expandNode,
  setLevel,
  stepChange,
  SummaryFault,
  undoCompressions,
} from '../../../src/app/summary-changes.ts';
import type { CompressionOutcome } from '../../../src/app/compression-job.ts';
import { CorrectionFault, correctEvent, restoreEvent } from '../../../src/app/correct-event.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ContextOverflow } from '../../../src/app/turn-refused.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import type { SessionEvent } from '../../../src/core/journal/event.ts';
import { messageId, type KeyEventId, type MessageId } from '../../../src/core/model/ids.ts';
import type { EventCorrection, KeyEventKind } from '../../../src/core/model/key-event.ts';
import { messageText, type ContentBlock, type Role } from '../../../src/core/model/message.ts';
import { eventIdAt } from '../../../src/core/events/ledger.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { Desk, says } from '../../unit/app/desk.ts';
import type { Meanwhile, SpokenTurn, Step } from './steps.ts';
import { summarizerOf } from './summarizers.ts';

/** What an event says: its kind and its words. */
export const wordsOf = ({ kind, start, end, quote }: EventCorrection): EventCorrection => ({ kind, start, end, quote });

/** A session at a desk, to which steps are done. */
export class World {
  readonly desk: Desk;
  conversation: Conversation;
  /** Messages that the user has deleted and not brought back: kept here apart from the state. */
  readonly deleted = new Set<MessageId>();
  /** Key events that the user has pinned, and not unpinned since. */
  readonly pinned = new Set<KeyEventId>();
  /** What the user has corrected, and what a key event says since. */
  readonly corrected = new Map<KeyEventId, EventCorrection>();
  readonly #takeBack: {
    readonly id: KeyEventId;
    readonly to: EventCorrection | null;
    readonly says: EventCorrection;
  }[] = [];
  /** False once key events were not looked for, or a message's neighbour was taken away. */
  detects = true;
  /** Calls of the summarizer. */
  calls = 0;
  outcome: CompressionOutcome | undefined;
  #said = 0;
  #meanwhile: (() => Promise<void>) | undefined;

  static async open(): Promise<World> {
    const desk = await Desk.open();
    return new World(desk, await desk.converse());
  }

  private constructor(desk: Desk, conversation: Conversation) {
    this.desk = desk;
    this.conversation = conversation;
    desk.script = says('Fine, that is how it is.');
    this.#settings({ contextWindow: 30_000 + 500, reservedTokens: 500, recallShare: 0.1 });
  }

  get state(): Conversation['state'] {
    return this.conversation.state;
  }

  async close(): Promise<void> {
    await this.conversation.settled();
    await this.conversation.close();
    await this.desk.close();
  }

  /** Closes the session and opens it as another window would. */
  async restart(): Promise<void> {
    await this.conversation.settled();
    this.conversation = await this.desk.restart(this.conversation);
  }

  async do(step: Step): Promise<void> {
    this.outcome = undefined;
    this.desk.clock.ahead += 60_000;
    switch (step.do) {
      case 'import':
        return this.#import(step.turns);
      case 'send':
        return this.#turn(() => this.conversation.send(step.text));
      case 'compress':
        this.#meanwhile = this.#act(step.meanwhile, step.pick);
        this.outcome = await this.conversation.compressNow();
        this.#meanwhile = undefined;
        if (this.outcome.kind === 'committed' && step.meanwhile === 'nothing') {
          const stale = this.state.frontier.filter(({ node }) => this.state.stale.has(node.id));
          assert.deepEqual(stale, [], 'what was made from a changed summary is made anew');
        }
        return;
      case 'background':
        this.#meanwhile = this.#act(step.meanwhile, step.pick);
        await this.conversation.betweenTurns();
        await this.conversation.settled();
        this.#meanwhile = undefined;
        return;
      case 'preview':
        await this.conversation.previewCompression().catch((error: unknown) => {
          assert.ok(ModelFault.is(error));
        });
        return;
      case 'undo': {
        const node = this.#pick([...this.state.nodes.keys()], step.pick);
        if (node) await this.conversation.undoNodes([node], step.undone);
        return;
      }
      case 'editNode': {
        const node = this.#pick([...this.state.nodes.keys()], step.pick);
        const tokens = this.conversation.counter.text(step.text) + 4;
        if (node) await this.#append({ type: 'node_edited', node, level: 'detailed', text: step.text, tokens });
        return;
      }
      case 'resummarize': {
        const node = this.#pick([...this.state.nodes.keys()], step.pick);
        if (!node) return;
        await this.desk.resummarize(this.conversation, { node, finer: step.finer }).catch((error: unknown) => {
          assert.ok(SummaryFault.is(error) || ModelFault.is(error), String(error));
        });
        return;
      }
      case 'level': {
        const node = this.#pick([...this.state.nodes.keys()], step.pick);
        if (node) await setLevel(this.conversation.journal, node, step.level);
        return;
      }
      case 'expand': {
        const node = this.#pick([...this.state.nodes.keys()], step.pick);
        if (node) await expandNode(this.conversation.journal, node, step.how);
        return;
      }
      case 'undoCompressions': {
        const from = this.#pick(this.state.compressions, step.pick)?.id;
        const { journal } = this.conversation;
        const ids = step.undone
          ? compressionsSince(this.state, from)
          : this.state.compressions.map(({ id }) => id).filter((id) => this.state.isCompressionUndone(id));
        await undoCompressions(journal, ids, step.undone);
        return;
      }
      case 'stepBack':
        await stepChange(this.conversation.journal, step.undone);
        this.#readAnew();
        return;
      case 'pin': {
        const id = this.#pick([...this.state.events.keys()], step.pick);
        if (id === undefined) return;
        if (step.pinned) this.pinned.add(id);
        else this.pinned.delete(id);
        await this.#append({ type: 'event_pinned', id, pinned: step.pinned });
        return;
      }
      case 'quote':
        return this.#quote(step.pick, step.length);
      case 'remove': {
        const id = this.#pick([...this.state.events.keys()], step.pick);
        if (id) await this.#append({ type: 'event_removed', id, removed: step.removed });
        return;
      }
      case 'correct':
        return this.#correct(step.pick, step.kind);
      case 'delete':
        return this.#delete(step.pick, step.deleted);
      case 'leave': {
        const to = this.#pick(this.#places(), step.pick);
        if (to) await this.conversation.moveHead(to);
        return;
      }
      case 'resend': {
        const of = this.#pick(this.#asked(), step.pick);
        if (of) await this.#turn(() => this.conversation.editAndResend(of, step.text));
        return;
      }
      case 'task':
        return this.conversation.setTask(step.goal, [{ text: step.goal, status: 'pending' }]);
      case 'reset':
        return this.conversation.resetTask();
      case 'restart':
        return this.restart();
      case 'model': {
        const script = summarizerOf(step.name);
        this.desk.summarizer =
          script &&
          async function* (world: World, ...[request, signal]: Parameters<typeof script>) {
            world.calls++;
            const act = world.#meanwhile;
            world.#meanwhile = undefined;
            await act?.();
            if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
            yield* script(request, signal);
          }.bind(undefined, this);
        return;
      }
      case 'budget':
        this.#settings({
          contextWindow: step.tokens + 500,
          policy: { ...this.desk.settings.policy, ledgerShare: step.ledgerShare },
        });
        return;
      case 'policy': {
        const { name, strategy } = step;
        const { ledgerShare } = this.desk.settings.policy;
        this.#settings({ policy: resolvePolicy(name, { strategy, ledgerShare }) });
        if (strategy === 'summarize' || strategy === 'trim') this.detects = false;
        return;
      }
    }
  }

  /** A turn proceeds, or the user is told that it does not fit; nothing else may come of it. */
  async #turn(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof ContextOverflow)) throw error;
      assert.equal(this.state.escalation, 'token_overflow');
    }
    await this.conversation.settled();
  }

  #settings(change: Partial<Desk['settings']>): void {
    this.desk.settings = { ...this.desk.settings, ...change };
  }

  /** What was taken back or done again may have been a pin or a correction. */
  #readAnew(): void {
    for (const id of this.corrected.keys()) this.corrected.set(id, wordsOf(this.state.events.get(id)!));
    this.pinned.clear();
    for (const { id, pinned } of this.state.events.values()) if (pinned) this.pinned.add(id);
  }

  #append(event: SessionEvent): Promise<void> {
    return this.conversation.journal.append(event);
  }

  #pick<Item>(list: readonly Item[], at: number): Item | undefined {
    return list[at % Math.max(1, list.length)];
  }

  #plain(id: MessageId): boolean {
    return this.state.messages.get(id)?.content.every((block) => block.type === 'text') === true;
  }

  /** User messages of the branch. */
  #asked(): MessageId[] {
    return this.state.path.filter((id) => this.state.messages.get(id)?.role === 'user' && this.#plain(id));
  }

  /** Ends of branches, and answers of this one: places where no tool is at work. */
  #places(): MessageId[] {
    const ends = [...this.state.messages.keys()].filter((id) => this.state.childrenOf(id).length === 0);
    const answers = this.state.path.filter(
      (id) => this.state.messages.get(id)?.role === 'assistant' && this.#plain(id),
    );
    return [...ends, ...answers].filter((id) => !this.deleted.has(id));
  }

  /** Quotes a span of a message, as a user who selects it. */
  async #quote(pick: number, length: number): Promise<void> {
    const id = this.#pick(this.state.path, pick);
    const text = id === undefined ? '' : messageText(this.state.messages.get(id)!);
    if (id === undefined || text === '') return;
    const start = pick % text.length;
    const end = Math.min(text.length, start + length);
    const quote = text.slice(start, end);
    // Half a character is nothing that can be selected.
    if (!quote.isWellFormed()) return;
    const event = { id: eventIdAt(id, { start, end }), message: id, start, end, quote, score: 1, reason: 'user' };
    if (this.state.events.has(event.id)) return;
    this.pinned.add(event.id);
    await this.#append({ type: 'event_added', event: { ...event, kind: 'fact', status: 'active', pinned: true } });
  }

  /** Corrects an event, or (null) takes the newest correction back. */
  async #correct(pick: number, kind: KeyEventKind | null): Promise<void> {
    const { journal } = this.conversation;
    const last = kind === null ? this.#takeBack.pop() : undefined;
    if (last) {
      await restoreEvent(journal, last.id, last.to);
      this.corrected.set(last.id, last.says);
    }
    const entry = this.#pick([...this.state.events.values()], pick);
    if (!entry || kind === null) return;
    const says = wordsOf(entry);
    try {
      const to = await correctEvent(journal, entry.id, { kind, start: pick % (entry.end + 1) });
      this.#takeBack.push({ id: entry.id, to, says });
      this.corrected.set(entry.id, wordsOf(this.state.events.get(entry.id)!));
    } catch (error) {
      assert.ok(CorrectionFault.is(error, 'no_words'), String(error));
    }
  }

  async #delete(pick: number, deleted: boolean): Promise<void> {
    const from = deleted ? this.state.path.filter((id) => this.#plain(id)) : [...this.deleted];
    const id = this.#pick(from, pick);
    if (id === undefined) return;
    this.detects = false;
    if (deleted) this.deleted.add(id);
    else this.deleted.delete(id);
    await this.conversation.deleteMessage(id, deleted);
  }

  #act(what: Meanwhile, pick: number): (() => Promise<void>) | undefined {
    switch (what) {
      case 'nothing':
        return undefined;
      case 'say':
        return () => this.#import([{ ask: 'And this?', rest: [{ kind: 'answer', text: 'Yes, that too.' }] }]);
      case 'cancel':
        return () => Promise.resolve(this.conversation.compressor.cancel());
      case 'edit':
        return () => this.do({ do: 'editNode', pick, text: 'What the user has written in its place.' });
      case 'quote':
        return async () => {
          // The very span that is about to be found.
          const event = this.#sayingOnPath();
          if (!event) return;
          this.pinned.add(event.id);
          await this.#append({ type: 'event_added', event });
        };
      case 'undo':
        return () => this.do({ do: 'undo', pick, undone: true });
      case 'pin':
        return () => this.do({ do: 'pin', pick, pinned: true });
      case 'remove':
        return () => this.do({ do: 'remove', pick, removed: true });
      case 'correct':
        return () => this.#correct(pick, 'fact');
      case 'delete':
        return async () => {
          // As many come as go, so that the branch is as long as it was.
          if (this.deleted.size > 0) await this.#delete(pick, false);
          await this.#delete(pick, true);
        };
      case 'leave':
        return () => this.do({ do: 'leave', pick });
    }
  }

  #sayingOnPath(): Extract<SessionEvent, { type: 'event_added' }>['event'] | undefined {
    const quote = 'Never deploy on a Friday.';
    for (const { message } of this.state.uncovered()) {
      const start = messageText(message).indexOf(quote);
      const span = { start, end: start + quote.length };
      const id = eventIdAt(message.id, span);
      if (start < 0 || this.state.events.has(id)) continue;
      const rest = { kind: 'constraint', quote, score: 1, reason: 'user', status: 'active', pinned: true } as const;
      return { id, message: message.id, ...span, ...rest };
    }
    return undefined;
  }

  async #import(turns: readonly SpokenTurn[]): Promise<void> {
    let parent = this.state.head;
    const events: SessionEvent[] = [];
    const add = (role: Role, content: readonly ContentBlock[]): void => {
      const id = messageId(`said-${++this.#said}`);
      events.push({ type: 'message_added', message: { id, parent, role, content, at: this.desk.clock.now() } });
      parent = id;
    };
    for (const { ask, rest } of turns) {
      add('user', [{ type: 'text', text: ask }]);
      for (const { kind, text } of rest) {
        const said: ContentBlock = { type: 'text', text };
        const call = (n: number): ContentBlock => ({
          type: 'tool_call',
          callId: `${this.#said}-${n}`,
          name: 'run',
          json: '{"a":1}',
        });
        const result = ({ callId }: { callId: string }): ContentBlock => ({
          type: 'tool_result',
          callId,
          text,
          isError: false,
        });
        const calls = kind === 'call' ? [call(0)] : kind === 'parallel' ? [call(0), call(1)] : [];
        add('assistant', [said, ...calls]);
        for (const one of calls) if (one.type === 'tool_call') add('tool', [result(one)]);
        if (kind === 'loose') add('tool', [said]);
      }
    }
    await this.conversation.journal.append(...events);
  }
}
