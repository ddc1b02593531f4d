import type * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { Sessions } from '../../app/sessions.ts';

/** What import and export need of the product. */
export interface ImportApp {
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly panel: { open(): void };
}
