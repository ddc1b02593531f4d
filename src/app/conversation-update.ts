import type { Recalled } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { ModelFault } from './fault.ts';

/** What happens in a conversation while it happens; what has happened is in the journal. */
export type ConversationUpdate =
  | { readonly type: 'reply_started'; readonly id: MessageId; readonly model: string }
  | { readonly type: 'reply_text'; readonly id: MessageId; readonly offset: number; readonly text: string }
  /** The model thinks and has not written anything yet. */
  | { readonly type: 'reply_thinking'; readonly id: MessageId }
  /** `id` is that of the reply, where any of it was kept; also of one that ended in `error`. */
  | { readonly type: 'turn_ended'; readonly id: MessageId | undefined; readonly error: unknown }
  /** The server of a model read a part of the request alone; tokens as it counts them. */
  | { readonly type: 'truncated'; readonly model: string; readonly sent: number; readonly read: number }
  | { readonly type: 'reset_waiting' }
  | { readonly type: 'queue_changed' }
  /** The provider asked for patience; `until` is milliseconds since the epoch, null when the wait is over. */
  | { readonly type: 'waiting'; readonly until: number | null }
  | { readonly type: 'recalled'; readonly message: MessageId; readonly excerpts: readonly Recalled[] };

/** A pause before the next try: until when (ms since the epoch), and after which fault. */
export interface Waiting {
  readonly until: number;
  readonly fault: ModelFault;
}
