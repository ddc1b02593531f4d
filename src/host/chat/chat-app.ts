import type * as vscode from 'vscode';
import type { Clock, SessionStore } from '../../app/ports.ts';
import type { ScoredResult } from '../../app/searchable.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { FaultView } from '../../protocol/faults.ts';
import type { PageCommand } from '../../protocol/views.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { EditReviews } from '../edits/edit-reviews.ts';
import type { Attachments } from './attachments.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import type { DiagramPreview } from './diagram-preview.ts';
import type { Drafts } from './drafts.ts';
import type { ImplicitContext } from './implicit-context.ts';
import type { LastEditor } from './last-editor.ts';
import type { PageConnection } from './page-connection.ts';

/** Dependencies of the chat. */
export interface ChatApp {
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly store: Pick<SessionStore, 'open'>;
  readonly panel: ChatPanel;
  /** Attachments of the next message. */
  readonly attachments: Attachments;
  readonly memory: WorkspaceMemory;
  /** Proposed changes to files that aren't accepted or rejected yet. */
  readonly reviews: EditReviews;
  /** The automatic attachment. */
  readonly implicit: ImplicitContext;
  readonly diagrams: DiagramPreview;
  /** Unsent text in the composers. */
  readonly drafts: Drafts;
  readonly editor: LastEditor;
  /** The page's connection to the current session. Throws if there is none. */
  currentConnection(): PageConnection;
  /** The best search results in the current session. */
  search(query: string): Promise<readonly ScoredResult[]>;
  /** The current session, or else the latest one. */
  current(): Promise<OpenConversation>;
  /** Runs a command for the page; false if the user cancels it. Rejects if it fails. */
  runCommand(name: PageCommand, argument?: string): Promise<boolean>;
  /** The message and action for an error. */
  describe(error: unknown): FaultView;
}
