import type { CompressionId, KeyEventId, MessageId, NodeId, SessionId } from '../model/ids.ts';
import type { EventCorrection, KeyEvent, KeyEventStatus } from '../model/key-event.ts';
import type { Message, Usage } from '../model/message.ts';
import type { Level, SummaryCheck, SummaryNode } from '../model/summary.ts';
import type { StepStatus, Task } from '../model/task.ts';

export const TRIGGERS = [
  'share',
  'before_send',
  'tokens',
  'messages',
  'every',
  'age',
  'task_reset',
  'provider_overflow',
  'command',
  'import',
] as const;
/** Why a compression ran; the design's table of triggers. */
export type TriggerName = (typeof TRIGGERS)[number];

/** A key event's new place in the ledger. */
export interface LedgerChange {
  readonly id: KeyEventId;
  readonly status: KeyEventStatus;
  readonly link?: KeyEventId;
}

/** One finished compression, as it is committed: all of it or nothing. Times in ms, money in US dollars. */
export interface CompressionRecord {
  readonly id: CompressionId;
  readonly trigger: TriggerName;
  /** The limit that was crossed, in the trigger's own unit (share, tokens, messages, ms). */
  readonly threshold: number;
  readonly policy: string;
  readonly strategy: string;
  readonly nodes: readonly SummaryNode[];
  /** The level at which a frontier node is sent, for those that are not sent as `detailed`. */
  readonly levels: readonly { readonly node: NodeId; readonly level: Level }[];
  readonly events: readonly KeyEvent[];
  readonly changes: readonly LedgerChange[];
  readonly messages: { readonly before: number; readonly after: number };
  readonly tokens: { readonly before: number; readonly after: number };
  readonly calls: {
    readonly count: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number;
  };
  readonly durationMs: number;
}

/** Everything that can happen to a session. Types a later version adds are kept in the journal and skipped by the fold. */
export type SessionEvent =
  | { readonly type: 'session_created'; readonly id: SessionId; readonly title: string; readonly workspace: string }
  | { readonly type: 'session_renamed'; readonly title: string }
  /** The folder or workspace file that the session belongs to has another name or place now. */
  | { readonly type: 'session_moved'; readonly workspace: string }
  | { readonly type: 'session_archived'; readonly archived: boolean }
  | { readonly type: 'session_pinned'; readonly pinned: boolean }
  | { readonly type: 'session_deleted'; readonly deleted: boolean }
  | { readonly type: 'model_selected'; readonly provider: string; readonly model: string }
  | { readonly type: 'policy_selected'; readonly policy: string }
  | { readonly type: 'message_added'; readonly message: Message }
  /** Text of a reply that is still arriving; `offset` is where `text` starts in it, in UTF-16 units. */
  | {
      readonly type: 'reply_partial';
      readonly id: MessageId;
      readonly parent: MessageId | null;
      readonly model: string;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly type: 'head_moved'; readonly to: MessageId | null }
  | { readonly type: 'message_deleted'; readonly id: MessageId; readonly deleted: boolean }
  | { readonly type: 'task_set'; readonly task: Task }
  | { readonly type: 'task_step'; readonly step: number; readonly status: StepStatus }
  | { readonly type: 'task_reset'; readonly automatic: boolean }
  | { readonly type: 'compressed'; readonly compression: CompressionRecord }
  | { readonly type: 'node_undone'; readonly node: NodeId; readonly undone: boolean }
  | {
      readonly type: 'node_edited';
      readonly node: NodeId;
      readonly level: Level;
      readonly text: string;
      readonly tokens: number;
    }
  /** A summary made anew in its old place: the same messages or children. `level`: how it is sent from now on. */
  | { readonly type: 'node_replaced'; readonly node: SummaryNode; readonly level?: Level | null }
  /** What a model found of a summary's statements; what was found of it before is put away. */
  | { readonly type: 'node_checked'; readonly node: NodeId; readonly check: SummaryCheck }
  /** The level at which a summary is sent until the next compression chooses; null for the usual one. */
  | { readonly type: 'node_level_set'; readonly node: NodeId; readonly level: Level | null }
  /** What a summary stands for is sent word for word in its place until the next reply has come. */
  | { readonly type: 'node_expanded'; readonly node: NodeId; readonly expanded: boolean }
  /** Nothing that these compressions made stands for messages any more; or does again. */
  | { readonly type: 'compressions_undone'; readonly compressions: readonly CompressionId[]; readonly undone: boolean }
  /** Takes back the newest change that a user has made to summaries or key events; or makes it again. */
  | { readonly type: 'change_undone'; readonly undone: boolean }
  | { readonly type: 'event_added'; readonly event: KeyEvent }
  | { readonly type: 'event_pinned'; readonly id: KeyEventId; readonly pinned: boolean }
  | { readonly type: 'event_removed'; readonly id: KeyEventId; readonly removed: boolean }
  /** null takes every correction of the event back. */
  | { readonly type: 'event_corrected'; readonly id: KeyEventId; readonly correction: EventCorrection | null }
  | {
      readonly type: 'usage_recorded';
      readonly purpose: 'chat' | 'compression';
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd: number | null;
    }
  | { readonly type: 'escalation'; readonly reason: 'token_overflow' | null };

export type SessionEventType = SessionEvent['type'];
