import type { Conversation } from '../../app/conversation.ts';
import type { ScoredResult } from '../../app/search-results.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { PageCommand } from '../../protocol/views.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { EditReviews } from '../edits/edit-reviews.ts';
import type { Attachments } from './attachments.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import type { HostApp } from '../platform/host-app.ts';
import type { DiagramPreview } from './diagram-preview.ts';
import type { Drafts } from './drafts.ts';
import type { ImplicitContext } from './implicit-context.ts';
import type { LastEditor } from './last-editor.ts';
import type { PageConnection } from './page-connection.ts';

export interface ChatApp extends HostApp {
  readonly panel: ChatPanel;
  readonly attachments: Attachments;
  readonly memory: WorkspaceMemory;
  readonly reviews: EditReviews;
  readonly implicit: ImplicitContext;
  readonly diagrams: DiagramPreview;
  readonly drafts: Drafts;
  readonly editor: LastEditor;
  /** The page's connection to the current session. Throws if there is none. */
  currentConnection(): PageConnection;
  /** The best results in an open session. */
  search(conversation: Conversation, query: string): Promise<readonly ScoredResult[]>;
  current(): Promise<OpenConversation>;
  /** Runs a command for the page that shows `session`; false if the user cancels it. Rejects if it fails. */
  runCommand(name: PageCommand, argument?: string, session?: SessionId): Promise<boolean>;
}
