import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { Message } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { PageCommand, HitView } from '../../protocol/views.ts';
import type { Attachments } from './attachments.ts';
import type { Drafts } from './drafts.ts';
import type { LastEditor } from './last-editor.ts';
import type { CostAhead } from '../sessions/open-conversations.ts';
import type { PageLink } from './page-link.ts';

/** What the handlers of the page's requests work on. */
export interface HandlerDeps {
  readonly link: () => PageLink;
  readonly sessions: Sessions;
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly editor: LastEditor;
  readonly runCommand: (command: PageCommand, argument: string | undefined) => Promise<boolean>;
  /** What a compression that made these summaries would cost. */
  readonly costAhead: (nodes: readonly SummaryNode[]) => CostAhead;
  readonly searchFor: (query: string) => Promise<readonly HitView[]>;
  /** Changes a session of the list, open or not. */
  readonly changeSession: (id: SessionId, event: SessionEvent) => Promise<void>;
  readonly newId: () => string;
}

/** A message of the current session. Throws `RequestFault` when it is gone. */
export function messageIn({ state }: Conversation, id: MessageId): Message {
  const message = state.messages.get(id);
  if (!message) throw notFound(vscode.l10n.t('That message is no longer in the session.'));
  return message;
}

export const notFound = (text: string): RequestFault => new RequestFault({ reason: 'not_found', text });
