import assert from 'node:assert/strict';
import type { CompressionOutcome } from '../../../src/app/compression-job.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault, ContextOverflow } from '../../../src/app/fault.ts';
import { undoOrRedoChange } from '../../../src/app/summary-changes.ts';
import type { MessageId } from '../../../src/core/model/ids.ts';
import { messageText, type Attachment } from '../../../src/core/model/message.ts';
import { MAX_SHARE_AFTER_COMPRESSION, resolvePolicy } from '../../../src/core/policy/policy.ts';
import { Harness, says } from '../../unit/app/harness.ts';
import { UserMarks } from './user-marks.ts';
import { spokenMessages } from './turn-messages.ts';
import type { Meanwhile, SpokenTurn, Step } from './steps.ts';
import { summarizerOf } from './summarizers.ts';
import { changeSummary, itemAt } from './summary-steps.ts';

const attachedAs = (text: string | null): Attachment[] =>
  text === null ? [] : [{ kind: 'selection', name: 'src/rows.ts', text, lines: [3, 9] }];

export class Simulation {
  readonly harness: Harness;
  conversation: Conversation;
  /** Deleted messages, tracked independently of the state. */
  readonly deleted = new Set<MessageId>();
  readonly marks = new UserMarks();
  /**
   * False once key events may be missing: after a strategy that doesn't detect them, or after a message was deleted,
   * which changes the context of its neighbors.
   */
  detects = true;
  calls = 0;
  outcome: CompressionOutcome | undefined;
  /** Whether the user canceled during this step, and whether a summarizer failed in it. */
  cancelled = false;
  modelFailed = false;
  #said = 0;
  #meanwhile: (() => Promise<void>) | undefined;

  static async open(): Promise<Simulation> {
    const harness = await Harness.open();
    return new Simulation(harness, await harness.converse());
  }

  private constructor(harness: Harness, conversation: Conversation) {
    this.harness = harness;
    this.conversation = conversation;
    harness.script = says('Fine, that is how it is.');
    this.#settings({ contextWindow: 30_000 + 500, reservedTokens: 500, recallShare: 0.1 });
  }

  get state(): Conversation['state'] {
    return this.conversation.state;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await this.conversation.settled();
    await this.conversation.close();
    await this.harness.close();
  }

  /** Closes the session and reopens it as another window would. */
  async restart(): Promise<void> {
    await this.conversation.settled();
    this.conversation = await this.harness.restart(this.conversation);
  }

  async do(step: Step): Promise<void> {
    this.outcome = undefined;
    this.cancelled = false;
    this.modelFailed = false;
    this.harness.clock.ahead += 60_000;
    const { journal } = this.conversation;
    switch (step.do) {
      case 'import':
        return this.#import(step.turns);
      case 'send':
        return this.#turn(() =>
          this.conversation.sendMessage({ text: step.text, attachments: attachedAs(step.attached) }),
        );
      case 'compress':
        this.#meanwhile = this.#act(step.meanwhile, step.pick);
        this.outcome = await this.conversation.compressNow();
        this.#meanwhile = undefined;
        if (this.outcome.kind === 'committed' && step.meanwhile === 'nothing') {
          const stale = this.state.frontier.filter(({ node }) => this.state.stale.has(node.id));
          assert.deepEqual(stale, [], 'what was made from a changed summary is made anew');
          const counted = this.conversation.context().total;
          assert.equal(this.outcome.record.tokens.after, counted, 'the record says what the next request counts');
        }
        return;
      case 'background':
        this.#meanwhile = this.#act(step.meanwhile, step.pick);
        await this.conversation.betweenTurns();
        await this.conversation.settled();
        this.#meanwhile = undefined;
        return;
      case 'preview': {
        const isOff = this.harness.settings.policy.strategy === 'off';
        assert.equal((await this.conversation.previewCompression()) === 'off', isOff, 'off previews nothing');
        return;
      }
      case 'undo':
      case 'editNode':
      case 'regenerate':
      case 'level':
      case 'expand':
      case 'undoCompressions':
        return changeSummary(this.harness, this.conversation, step);
      case 'stepBack':
        await undoOrRedoChange(journal, step.undone);
        return this.marks.refresh(this.state);
      case 'pin': {
        const id = itemAt([...this.state.events.keys()], step.pick);
        return id === undefined ? undefined : this.marks.pin(journal, id, step.pinned);
      }
      case 'quote': {
        const id = itemAt(this.state.path, step.pick);
        const { length } = id === undefined ? '' : messageText(this.state.messages.get(id)!);
        const start = step.pick % Math.max(1, length);
        const end = Math.min(length, start + step.length);
        return id === undefined ? undefined : this.marks.quote(journal, id, start, end);
      }
      case 'remove': {
        const id = itemAt([...this.state.events.keys()], step.pick);
        return id === undefined ? undefined : journal.append({ type: 'event_removed', id, removed: step.removed });
      }
      case 'correct':
        return step.kind === null
          ? this.marks.takeCorrectionBack(journal)
          : this.marks.correct(journal, itemAt([...this.state.events.values()], step.pick), step.kind, step.pick);
      case 'delete':
        return this.#delete(step.pick, step.deleted);
      case 'switchBranch': {
        const to = itemAt(this.#places(), step.pick);
        if (to) await this.conversation.moveHead(to);
        return;
      }
      case 'resend': {
        const of = itemAt(this.#asked(), step.pick);
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
        this.harness.summarizer =
          script &&
          async function* (simulation: Simulation, ...[request, signal]: Parameters<typeof script>) {
            simulation.calls++;
            const act = simulation.#meanwhile;
            simulation.#meanwhile = undefined;
            await act?.();
            if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
            try {
              yield* script(request, signal);
            } catch (error) {
              simulation.modelFailed = true;
              throw error;
            }
          }.bind(undefined, this);
        return;
      }
      case 'budget':
        this.#settings({
          contextWindow: step.tokens + 500,
          policy: { ...this.harness.settings.policy, ledgerShare: step.ledgerShare },
        });
        return;
      case 'policy': {
        const { name, strategy } = step;
        const { ledgerShare } = this.harness.settings.policy;
        this.#settings({ policy: resolvePolicy(name, { strategy, ledgerShare }) });
        if (strategy === 'summarize' || strategy === 'trim') this.detects = false;
        return;
      }
    }
  }

  /** A turn either proceeds, or the user is told that it doesn't fit. */
  async #turn(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof ContextOverflow)) throw error;
      assert.equal(this.state.escalation, 'token_overflow');
      await this.conversation.settled();
      return;
    }
    await this.conversation.settled();
    const { total } = this.conversation.context();
    if (this.state.escalation)
      assert.ok(
        total > MAX_SHARE_AFTER_COMPRESSION * this.conversation.meter.budget(),
        'what fits well is not flagged',
      );
  }

  #settings(change: Partial<Harness['settings']>): void {
    this.harness.settings = { ...this.harness.settings, ...change };
  }

  #plain(id: MessageId): boolean {
    return this.state.messages.get(id)?.content.every((block) => block.type === 'text') === true;
  }

  #asked(): MessageId[] {
    return this.state.path.filter((id) => this.state.messages.get(id)?.role === 'user' && this.#plain(id));
  }

  /**
   * Messages that the head can move to: ends of branches, and plain replies on the current branch, at which no tool
   * call is pending.
   */
  #places(): MessageId[] {
    const ends = [...this.state.messages.keys()].filter((id) => this.state.childrenOf(id).length === 0);
    const answers = this.state.path.filter(
      (id) => this.state.messages.get(id)?.role === 'assistant' && this.#plain(id),
    );
    return [...ends, ...answers].filter((id) => !this.deleted.has(id));
  }

  async #delete(pick: number, deleted: boolean): Promise<void> {
    const from = deleted ? this.state.path.filter((id) => this.#plain(id)) : [...this.deleted];
    const id = itemAt(from, pick);
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
        return () => {
          this.cancelled = true;
          return Promise.resolve(this.conversation.compressor.cancel());
        };
      case 'edit':
        return () => this.do({ do: 'editNode', pick, text: 'What the user has written in its place.' });
      case 'quote':
        return () => this.marks.quoteUnfound(this.conversation.journal, null);
      case 'quoteAndCorrect':
        return () => this.marks.quoteUnfound(this.conversation.journal, 'todo');
      case 'undo':
        return () => this.do({ do: 'undo', pick, undone: true });
      case 'pin':
        return () => this.do({ do: 'pin', pick, pinned: true });
      case 'remove':
        return () => this.do({ do: 'remove', pick, removed: true });
      case 'correct':
        return () => this.do({ do: 'correct', pick, kind: 'fact' });
      case 'delete':
        return async () => {
          // Adds as many messages as it removes, so that the branch keeps its length.
          if (this.deleted.size > 0) await this.#delete(pick, false);
          await this.#delete(pick, true);
        };
      case 'switchBranch':
        return () => this.do({ do: 'switchBranch', pick });
    }
  }

  async #import(turns: readonly SpokenTurn[]): Promise<void> {
    const nextId = (): string => `said-${++this.#said}`;
    await this.conversation.journal.append(...spokenMessages(turns, this.state.head, nextId, this.harness.clock.now()));
  }
}
