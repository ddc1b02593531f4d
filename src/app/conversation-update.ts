import type { RecalledExcerpt } from '../core/context/render-context.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { ModelFault } from './fault.ts';

/** An update of a conversation that isn't stored. Persistent changes are events in the journal. */
export type ConversationUpdate =
  | { readonly type: 'reply_started'; readonly id: MessageId; readonly model: string }
  | { readonly type: 'reply_text'; readonly id: MessageId; readonly offset: number; readonly text: string }
  /** The model is thinking and hasn't written any text yet. */
  | { readonly type: 'reply_thinking'; readonly id: MessageId }
  /** `id`: the reply, if any of it was kept, even when the turn ended with an error. */
  | { readonly type: 'turn_ended'; readonly id: MessageId | undefined; readonly error: unknown }
  /** The server read only part of the request. Token counts are the model's. */
  | { readonly type: 'truncated'; readonly model: string; readonly sent: number; readonly read: number }
  | { readonly type: 'reset_pending' }
  | { readonly type: 'queue_changed' }
  /** A retry starts at `until` (ms since the epoch); null: no retry is pending anymore. */
  | { readonly type: 'retry_pending'; readonly until: number | null }
  | { readonly type: 'recalled'; readonly message: MessageId; readonly excerpts: readonly RecalledExcerpt[] };

/** A pending retry: when it starts (ms since the epoch), and the fault that caused it. */
export interface PendingRetry {
  readonly until: number;
  readonly fault: ModelFault;
}
