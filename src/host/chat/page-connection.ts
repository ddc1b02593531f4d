import type { Conversation } from '../../app/conversation.ts';
import type { ConversationUpdate } from '../../app/conversation-update.ts';
import { ModelFault } from '../../app/fault.ts';
import { Emitter, type Disposable } from '../../app/emitter.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import type { MessageId, NodeId } from '../../core/model/ids.ts';
import { Sequencer } from '../../core/pace/sequencer.ts';
import type { HostToPage, InitMessage } from '../../protocol/messages.ts';
import type { Elsewhere, MessageView, StatusView } from '../../protocol/views.ts';
import type { Log, SessionListEntry } from '../../app/ports.ts';
import { nextCompressionText } from '../gauge/gauge-item.ts';
import { gaugeView } from '../gauge/gauge-view.ts';
import type { Attachments } from './attachments.ts';
import type { Drafts } from './drafts.ts';
import { summaryRangeViews, compressionViews, MessageViews } from './message-views.ts';
import type { ChosenModel, Models } from '../models/models.ts';
import { isSet, readSettings } from '../platform/settings.ts';
import { faultView, summarizerFaultText } from '../platform/fault-view.ts';
import { locale, stageText, translated, titleText } from '../platform/l10n.ts';
import * as vscode from 'vscode';

/** Number of messages in `init`, enough to fill a tall window. The page requests older ones when it needs them. */
const FIRST_MESSAGES = 60;
/** Maximum number of messages per request. */
const MAX_MESSAGES = 200;
/** Events that change the positions of messages. */
const PATH_EVENTS = ['head_moved', 'message_deleted'] as const;
/** Events that change the shown summaries. */
const SUMMARY_EVENTS = [
  'compressed',
  'node_level_set',
  'node_edited',
  'node_replaced',
  'node_checked',
  'change_undone',
] as const;
const TASK_EVENTS = ['task_set', 'task_step', 'task_reset'] as const;
/**
 * Share of the budget at which the warning that the context is too full ends, below the 70% at which it begins. A small
 * context window is flagged again after a few messages, so the warning would come and go with nearly every turn.
 */
const WARNING_END_SHARE = 0.6;
/** Number of previous inputs for the composer's arrow keys. */
const MAX_HISTORY = 50;

export interface PageApp {
  readonly models: Models;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly log: Log;
  chosenModel(): ChosenModel;
}

interface ConnectionOwner {
  isModelReady(): boolean;
  sessions(): Promise<readonly SessionListEntry[]>;
  /** Whether other workspaces have sessions, for a workspace without any. */
  elsewhere(): Promise<Elsewhere | undefined>;
}

/** Keeps a page up to date with a conversation: sends everything at `init`, and then only changes. */
export class PageConnection {
  readonly conversation: Conversation;
  readonly #views: MessageViews;
  readonly #app: PageApp;
  readonly #owner: ConnectionOwner;
  readonly #messages: Emitter<HostToPage>;
  readonly #subscriptions: Disposable[];
  /** Sends the session lists in order, because some take longer to read. */
  readonly #lists = new Sequencer();
  #epoch = 0;
  /** The expanded summaries as of the last time that summaries were sent to the page. */
  #reverted: ReadonlySet<NodeId> | undefined;
  /** The compressions' sizes as of the same time. Usage reports change them, because they are in the provider's tokens. */
  #sizes = '';
  /** Whether the page shows that the model is thinking. */
  #thinking = false;
  #resetPending = false;
  /** Whether the page shows the warning that the context is too full. */
  #isWarning = false;
  /** A message for the user if the last turn failed because the provider can't be reached. */
  #offline: string | null = null;

  constructor(conversation: Conversation, app: PageApp, owner: ConnectionOwner) {
    this.conversation = conversation;
    this.#views = new MessageViews(conversation);
    this.#app = app;
    this.#owner = owner;
    this.#messages = new Emitter((error) =>
      app.log.warn(`A message could not be sent to the chat page: ${String(error)}`),
    );
    this.#subscriptions = [
      conversation.onUpdate((update) => this.#onUpdate(update)),
      conversation.journal.onDidChange((events) => this.#onEvents(events)),
      conversation.compressor.onDidChange(() => this.#sendStatus()),
    ];
  }

  onMessage(listener: (message: HostToPage) => void): Disposable {
    return this.#messages.on(listener);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** The page's initial state, without the gauge, which takes longer and is sent by `sendGauge`. */
  async init(): Promise<InitMessage> {
    const { conversation } = this;
    const { drafts, attachments } = this.#app;
    const { enterSends, sendWhileResponding, pasteAsAttachmentAbove } = readSettings().chat;
    const sessions = await this.#sessions();
    // No await from here on: parts of a reply that arrive meanwhile would be missing on the page, and the state is
    // replaced when the journal is read again.
    const { state, journal } = conversation;
    const from = Math.max(0, state.path.length - FIRST_MESSAGES);
    return {
      type: 'init',
      session: journal.id,
      epoch: this.#epoch,
      from,
      ...this.#views.newest(from),
      title: titleText(state.title),
      ...this.#summaries(),
      gauge: null,
      task: state.task ?? null,
      ...sessions,
      model: this.#model(),
      settings: { enterSends, sendWhileResponding, pasteAsAttachmentAbove, locale: locale() },
      status: this.#status(),
      draft: { text: drafts.get(journal.id), attachments: attachments.views(journal.id) },
      edits: drafts.editsOf(journal.id),
      history: this.#views.history(MAX_HISTORY),
      notice: journal.notice === undefined ? null : translated(journal.notice),
    };
  }

  #model(): InitMessage['model'] {
    const { models } = this.#app;
    const chosen = this.#app.chosenModel();
    return {
      provider: chosen.provider,
      label: models.label(chosen),
      takesImages: models.takesImages(chosen),
      ready: this.#owner.isModelReady(),
      isDefault: this.conversation.state.provider === undefined && !isSet('chat.provider'),
    };
  }

  async #sessions(): Promise<Pick<InitMessage, 'sessions' | 'elsewhere'>> {
    const list = await this.#owner.sessions();
    const elsewhere = list.some(({ messages }) => messages > 0) ? undefined : await this.#owner.elsewhere();
    return { sessions: list.map((one) => ({ ...one, title: titleText(one.title) })), elsewhere };
  }

  loadMessages(epoch: number, from: number, count: number): { from: number; messages: MessageView[] } {
    if (epoch !== this.#epoch) return { from, messages: [] };
    return { from, messages: this.#views.slice(from, from + Math.min(count, MAX_MESSAGES)) };
  }

  /** Shows a message as plain text from the next `init` on. */
  showPlain(message: MessageId): void {
    this.#views.plain.add(message);
  }

  sendGauge(): void {
    const next = nextCompressionText(this.conversation.triggers.distanceToCompression());
    this.post({ type: 'gauge', gauge: { ...gaugeView(this.conversation), next } });
    if (this.#compressionSizes() !== this.#sizes) this.#sendCompressions();
    // The warning shows the same figures.
    if (this.#isWarning || this.conversation.state.requiresEscalation) this.#sendStatus();
  }

  sendSessions(): Promise<void> {
    return this.#lists.queue(async () => this.post({ type: 'sessions', ...(await this.#sessions()) }));
  }

  post(message: HostToPage): void {
    this.#messages.emit(message);
  }

  #onUpdate(update: ConversationUpdate): void {
    const { state, journal } = this.conversation;
    switch (update.type) {
      case 'reply_started': {
        const message = this.#views.begin(update.id, update.model, Date.now());
        this.post({ type: 'replyStarted', session: journal.id, at: state.path.length, message });
        break;
      }
      case 'reply_thinking':
        // The page counts the seconds itself.
        if (this.#thinking) return;
        this.#thinking = true;
        break;
      case 'reply_text':
        if (this.#thinking) {
          this.#thinking = false;
          this.#sendStatus();
        }
        this.#views.append(update.text);
        this.post({ ...update, type: 'replyDelta', session: journal.id });
        return;
      case 'turn_ended': {
        this.#views.end();
        this.#thinking = false;
        this.#offline = ModelFault.is(update.error, 'network')
          ? vscode.l10n.t('Couldn’t connect to the provider. Your message was kept. Retry when the connection is back.')
          : null;
        const message = update.id && state.messages.get(update.id);
        if (message) this.post({ type: 'replyEnded', session: journal.id, message: this.#views.of(message) });
        // The reply has no text, so it isn't a message, and its row is removed.
        else this.#sendTranscript(state.path.length);
        break;
      }
      case 'truncated':
        // Shown as a notification by model-notices.
        return;
      case 'reset_pending':
        this.#resetPending = true;
        break;
      case 'queue_changed':
      case 'retry_pending':
        break;
      case 'recalled':
        this.#views.recalled.set(update.message, update.excerpts);
        this.#sendMessages([update.message]);
        return;
    }
    this.#sendStatus();
  }

  #onEvents(events: readonly SessionEvent[]): void {
    // Without events, the writer has changed or the file was read again, so everything on the page may be outdated.
    if (events.length === 0) {
      this.#epoch++;
      this.#sendTranscript(Math.max(0, this.conversation.state.path.length - FIRST_MESSAGES));
      this.#sendCompressions();
      this.post({ type: 'task', task: this.conversation.state.task ?? null });
      this.#sendStatus();
      return;
    }
    const { state } = this.conversation;
    const occurred = new Set(events.map(({ type }) => type));
    const isAny = (types: readonly SessionEvent['type'][]): boolean => types.some((type) => occurred.has(type));
    if (occurred.has('task_reset')) this.#resetPending = false;
    let from = Number.POSITIVE_INFINITY;
    for (const event of events) {
      if (event.type !== 'message_added') continue;
      const { id, parent, role } = event.message;
      const position = state.positionOf(id);
      if (position === undefined) continue;
      // `replyEnded` sends the replies of this window. They are last, so the positions of other messages stay the same.
      if (role === 'assistant' && this.conversation.isReplying) continue;
      if (state.childrenOf(parent).length > 1) this.#epoch++;
      from = Math.min(from, position);
    }
    if (isAny(PATH_EVENTS)) {
      this.#epoch++;
      from = 0;
    }
    this.#sendMessages(events.flatMap((event) => this.#markedBy(event)));
    if (isAny(SUMMARY_EVENTS) || this.#reverted !== state.summaries.reverted) this.#sendCompressions();
    if (isAny(TASK_EVENTS)) this.post({ type: 'task', task: state.task ?? null });
    if (isAny([...TASK_EVENTS, 'escalation'])) this.#sendStatus();
    if (from < Number.POSITIVE_INFINITY) this.#sendTranscript(Math.max(from, state.path.length - FIRST_MESSAGES, 0));
  }

  /** The messages whose key event marks `event` may change. For a compression, only those that the page may have. */
  #markedBy(event: SessionEvent): readonly (MessageId | undefined)[] {
    const { state } = this.conversation;
    switch (event.type) {
      case 'compressed': {
        const oldest = state.path.length - MAX_MESSAGES;
        return event.compression.events
          .map(({ message }) => message)
          .filter((id) => (state.positionOf(id) ?? -1) >= oldest);
      }
      case 'event_added':
        return [event.event.message];
      case 'event_pinned':
      case 'event_removed':
      case 'event_corrected':
        return [state.events.get(event.id)?.message];
      default:
        return [];
    }
  }

  #sendMessages(ids: readonly (MessageId | undefined)[]): void {
    const { state, journal } = this.conversation;
    const changed = [...new Set(ids)].flatMap((id) => (id && state.messages.get(id)) ?? []);
    const messages = changed.map((message) => this.#views.of(message));
    if (messages.length > 0) this.post({ type: 'messagesChanged', session: journal.id, messages });
  }

  #sendTranscript(from: number): void {
    const { journal } = this.conversation;
    this.post({ type: 'transcript', session: journal.id, epoch: this.#epoch, from, ...this.#views.newest(from) });
  }

  #sendCompressions(): void {
    this.post({ type: 'compression', session: this.conversation.journal.id, ...this.#summaries() });
  }

  #summaries(): Pick<InitMessage, 'summaryRanges' | 'compressions'> {
    const { state } = this.conversation;
    this.#reverted = state.summaries.reverted;
    this.#sizes = this.#compressionSizes();
    return { summaryRanges: summaryRangeViews(state), compressions: compressionViews(this.conversation) };
  }

  #compressionSizes(): string {
    const { state, meter } = this.conversation;
    return JSON.stringify(state.compressions.map(({ tokens }) => meter.providerSizes(tokens)));
  }

  #sendStatus(): void {
    this.post({ type: 'status', status: this.#status() });
  }

  #status(): StatusView {
    const { isReplying, thinkingSince, pendingRetry, journal, compressor, queue } = this.conversation;
    const { progress } = compressor;
    const { readOnly, unsaved, isExternal } = journal;
    return {
      replying: isReplying,
      compression: progress && {
        stage: stageText(progress.stage),
        done: progress.done,
        total: progress.stage === 'planning' ? 0 : progress.total,
      },
      thinking: thinkingSince,
      pendingRetry: pendingRetry && { until: pendingRetry.until, text: pendingRetryText(pendingRetry.fault) },
      resetPending: this.#resetPending,
      queue: {
        items: queue.items.map(({ id, message: { text, attachments = [], images = [] } }) => {
          return { id, text, attachments: attachments.length + images.length };
        }),
        isHeld: queue.isHeld,
      },
      offline: this.#offline,
      readOnly: readOnly
        ? { text: translated(readOnly.phrase), isWrittenElsewhere: readOnly.reason === 'not_writer' }
        : null,
      isExternal: isExternal === true,
      unsaved: unsaved ? translated(unsaved) : null,
      escalation: this.#escalation(),
    };
  }

  #escalation(): StatusView['escalation'] {
    const isFlagged = this.conversation.state.requiresEscalation;
    const view = isFlagged || this.#isWarning ? escalationView(this.conversation) : null;
    this.#isWarning = view !== null && (isFlagged || view.requestTokens > WARNING_END_SHARE * view.budget);
    return this.#isWarning ? view : null;
  }
}

/** The warning that the context is too full, with the figures of the gauge, and why background compression waits. */
function escalationView({ meter, compressor, state }: Conversation): StatusView['escalation'] {
  const [requestTokens, budget] = [meter.providerTokens(meter.context().total), meter.providerBudget()];
  const share = (requestTokens / Math.max(1, budget)).toLocaleString(locale(), { style: 'percent' });
  const text =
    requestTokens > budget
      ? vscode.l10n.t('The request doesn’t fit in the context budget.')
      : vscode.l10n.t('The session still uses {0} of the context budget.', share);
  const { backoffFault } = compressor;
  const hasPins = eventsOnBranch(state).some(({ pinned }) => pinned);
  return {
    text: ModelFault.is(backoffFault) ? `${text} ${summarizerFaultText(backoffText(backoffFault))}` : text,
    requestTokens,
    budget,
    actions: [
      { label: vscode.l10n.t('Compress History'), command: 'compressHistory' },
      ...(hasPins ? [{ label: vscode.l10n.t('Unpin All Key Events'), command: 'unpinAll' } as const] : []),
      { label: vscode.l10n.t('Select Model…'), command: 'chooseModel' },
      { label: vscode.l10n.t('New Session'), command: 'newSession' },
    ],
  };
}

/** The reason for a backoff, without a wait, which has been running since the failure. */
function backoffText(fault: ModelFault): string {
  const { text, wait } = faultView(fault);
  return wait ? pendingRetryText(fault) : text;
}

function pendingRetryText({ reason }: ModelFault): string {
  switch (reason) {
    case 'rate_limited':
      return vscode.l10n.t('Rate limit reached.');
    case 'overloaded':
      return vscode.l10n.t('The provider reported an error or is overloaded.');
    case 'timeout':
      return vscode.l10n.t('The provider isn’t responding.');
    default:
      return vscode.l10n.t('Couldn’t connect to the provider.');
  }
}
