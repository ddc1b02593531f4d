import type * as vscode from 'vscode';
import type { HealthFacts } from '../app/health-report.ts';
import type { Clock, SessionStore } from '../app/ports.ts';
import type { SessionHit } from '../app/session-search.ts';
import type { Sessions } from '../app/sessions.ts';
import type { SearchRun, WorkspaceHit } from '../app/workspace-search.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { FaultView } from '../protocol/faults.ts';
import type { Attachments } from './chat/attachments.ts';
import type { ChatPanel } from './chat/chat-panel.ts';
import type { Drafts } from './chat/drafts.ts';
import type { ChartPanel } from './gauge/chart-panel.ts';
import type { Comparison } from './summaries/documents/comparison.ts';
import type { SessionFiles } from './summaries/documents/document-files.ts';
import type { OpenConversation } from './sessions/open-conversations.ts';
import type { Keys } from './models/keys.ts';
import type { WorkspaceMemory } from './memory/workspace-memory.ts';
import type { ChosenModel, Models } from './models/models.ts';
import type { SummariesTree } from './summaries/tree/summaries-tree.ts';

/** What commands see of the product; the composition root makes it. */
export interface Product {
  readonly channel: vscode.LogOutputChannel;
  /** Where the extension lies. */
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** The sessions of all workspaces. */
  readonly store: Pick<SessionStore, 'list' | 'open'>;
  /** Where the journals lie. */
  readonly folder: string;
  /** Identity of this window's workspace. */
  readonly workspace: string;
  readonly keys: Keys;
  readonly models: Models;
  /** What holds in every session of the workspace. */
  readonly memory: WorkspaceMemory;
  readonly panel: ChatPanel;
  /** What goes with the next message. */
  readonly attachments: Attachments;
  /** What stands unsent in the composer. */
  readonly drafts: Drafts;
  readonly tree: SummariesTree;
  /** The chat's model in the current session. */
  chosenModel(): ChosenModel;
  /** Shows everywhere who answers now; called after another model was chosen. */
  modelChanged(): Promise<void>;
  /** The session's documents. */
  readonly files: SessionFiles;
  /** The chart of the context's size. */
  readonly chart: ChartPanel;
  readonly comparison: Comparison;
  /** The current session with what can be done to it alone; the latest one, if none was opened yet. */
  current(): Promise<OpenConversation>;
  /** The best places of the current session for a query. */
  search(query: string): Promise<readonly SessionHit[]>;
  /** The best places of all sessions of the workspace; undefined when cancelled. */
  searchWorkspace(run: SearchRun): Promise<readonly WorkspaceHit[] | undefined>;
  /** Drops what the editor's state still holds of sessions that were deleted for good. */
  forget(sessions: ReadonlySet<SessionId>): Promise<void>;
  /** How the snapshots in the editor's state stand, and their size. */
  keptSnapshots(): HealthFacts['snapshots'];
  /** What the user reads of an error. */
  describe(error: unknown): FaultView;
}
