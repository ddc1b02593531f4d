import type * as vscode from 'vscode';
import type { Clock } from '../app/ports.ts';
import type { SessionHit } from '../app/session-search.ts';
import type { Sessions } from '../app/sessions.ts';
import type { FaultView } from '../protocol/faults.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { Keys } from './keys.ts';
import type { ChosenModel, Models } from './models.ts';
import type { SummariesTree } from './summaries-tree.ts';

/** What commands see of the product; the composition root makes it. */
export interface Product {
  readonly channel: vscode.LogOutputChannel;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly panel: ChatPanel;
  readonly tree: SummariesTree;
  /** The chat's model in the current session. */
  chosenModel(): ChosenModel;
  /** Shows everywhere who answers now; called after another model was chosen. */
  modelChanged(): Promise<void>;
  /** The best places of the current session for a query. */
  search(query: string): Promise<readonly SessionHit[]>;
  /** What the user reads of an error. */
  describe(error: unknown): FaultView;
}
