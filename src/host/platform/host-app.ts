import type * as vscode from 'vscode';
import type { Clock, SessionStore } from '../../app/ports.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { FaultView } from '../../protocol/faults.ts';

/** The parts of the product that commands and views of all features use. */
export interface HostApp {
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** The sessions of all workspaces. */
  readonly store: Pick<SessionStore, 'list' | 'open'>;
  /** The folder of the journals. */
  readonly folder: string;
  /** Identifies this window's workspace. */
  readonly workspace: string;
  readonly panel: { open(): void; reveal(session: SessionId, position: number): void };
  /** Updates everything that depends on the selected model. */
  modelChanged(): Promise<void>;
  /** The message and action for an error. Unexpected errors are logged. */
  describe(error: unknown): FaultView;
}
