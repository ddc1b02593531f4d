import type { Context } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { TriggerName } from '../core/journal/schema.ts';
import { messageId } from '../core/model/ids.ts';
import { isFinished } from '../core/model/task.ts';
import type { CompressionTriggers } from './compression-triggers.ts';
import type { ContextMeter } from './context-meter.ts';
import type { ChatRequest, Clock, SessionJournal } from './ports.ts';
import { recallWithin } from './recall.ts';
import { requestOf } from './reply-stream.ts';
import type { ConversationSettings } from './settings.ts';
import { userMessage, type UserMessage } from './user-message.ts';

/** The next request. */
export interface SendPreview {
  readonly context: Context;
  readonly request: ChatRequest;
  /** Tokens a request may take. */
  readonly budget: number;
  /** Set when a compression would come first, so that something shorter would be sent. */
  readonly compressesFirst: TriggerName | undefined;
}

export interface SendPreviewDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly meter: ContextMeter;
  readonly triggers: CompressionTriggers;
  readonly settings: () => ConversationSettings;
  /** Excerpts of compressed history that match a text, within a number of tokens. */
  readonly recall: (text: string, budgetTokens: number) => Promise<readonly Recalled[]>;
}

/** The next request with that message; for an empty one, the request without it. */
export async function previewSend(deps: SendPreviewDeps, draft: UserMessage): Promise<SendPreview> {
  const { clock, journal, meter, recall, settings, triggers } = deps;
  const { state } = journal;
  const { recallShare, resetFinishedTask } = settings();
  const { text, attachments = [], images = [] } = draft;
  const message = userMessage(draft, messageId('pending'), state, clock);
  const isEmpty = text === '' && attachments.length === 0 && images.length === 0;
  const endsTask = !isEmpty && resetFinishedTask && state.task !== undefined && isFinished(state.task);
  const assemble = (excerpts: readonly Recalled[]): Context =>
    isEmpty ? meter.context(excerpts) : meter.contextWith(message, endsTask, excerpts);
  const plain = assemble([]);
  const due = (endsTask ? triggers.dueAtEnd() : undefined) ?? triggers.dueBefore(plain);
  const budget = meter.budget();
  const recalled = await recallWithin({ text, context: plain, budget, share: recallShare, recall, assemble }, state);
  const context = assemble(recalled);
  return { context, request: requestOf(context, settings(), journal), budget, compressesFirst: due?.trigger };
}
