import type * as vscode from 'vscode';
import type { Clock, SessionStore } from '../../app/ports.ts';
import type { SessionHit } from '../../app/session-search.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { FaultView } from '../../protocol/faults.ts';
import type { PageCommand } from '../../protocol/views.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { CostAhead } from '../sessions/open-conversations.ts';
import type { Reviews } from '../edits/review.ts';
import type { Attachments } from './attachments.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import type { DiagramPreview } from './diagram-preview.ts';
import type { Drafts } from './drafts.ts';
import type { ImplicitContext } from './implicit-context.ts';
import type { LastEditor } from './last-editor.ts';
import type { PageLink } from './page-link.ts';

/** What the chat needs of the product. */
export interface ChatApp {
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly store: Pick<SessionStore, 'open'>;
  readonly panel: ChatPanel;
  /** What goes with the next message. */
  readonly attachments: Attachments;
  readonly memory: WorkspaceMemory;
  /** Changes to files that are shown and not accepted yet. */
  readonly reviews: Reviews;
  /** The file that goes with it by itself. */
  readonly implicit: ImplicitContext;
  readonly diagrams: DiagramPreview;
  /** What stands unsent in the composer. */
  readonly drafts: Drafts;
  readonly editor: LastEditor;
  /** The link to the current session. Throws when there is none. */
  currentLink(): PageLink;
  /** The best places of the current session for a query. */
  search(query: string): Promise<readonly SessionHit[]>;
  /** What a compression of the current session that made these summaries would cost. */
  costAhead(nodes: readonly SummaryNode[]): CostAhead;
  /** Runs a command that the page asked for; false when the user gave it up. Rejects with what went wrong. */
  runCommand(name: PageCommand, argument?: string): Promise<boolean>;
  /** What the user reads of an error. */
  describe(error: unknown): FaultView;
}
