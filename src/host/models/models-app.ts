import type * as vscode from 'vscode';
import type { Sessions } from '../../app/sessions.ts';
import type { Keys } from './keys.ts';
import type { ChosenModel, Models } from './models.ts';
import type { RecentModels } from './recent-models.ts';

/** What commands on models and keys need of the product. */
export interface ModelsApp {
  readonly channel: vscode.LogOutputChannel;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly recentModels: RecentModels;
  /** The chat's model in the current session. */
  chosenModel(): ChosenModel;
  /** Shows the model everywhere; called after another one was chosen. */
  modelChanged(): Promise<void>;
}
