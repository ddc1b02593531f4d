import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { FaultView } from '../../protocol/faults.ts';
import type { ChartPanel } from '../gauge/chart-panel.ts';
import type { ModelsApp } from '../models/models.ts';
import { showInfoWithAction } from '../platform/notifications.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { Comparison } from './comparison.ts';
import { parseDocumentUri, type DocumentAddress } from './document-uris.ts';
import type { DocumentPanel } from './document-panel.ts';
import type { ContextTree } from './context-tree.ts';

export interface SummariesApp extends ModelsApp {
  readonly clock: Clock;
  readonly tree: ContextTree;
  /** Created when it's first shown. */
  chart: ChartPanel | undefined;
  readonly comparison: Comparison;
  readonly documentPanel: DocumentPanel;
  readonly panel: { reveal(session: SessionId, position: number): void; show(target: 'preview'): void };
  current(): Promise<OpenConversation>;
  describe(error: unknown): FaultView;
}

/** The active document of a session, rendered or as text. */
export function activeDocument({ documentPanel }: Pick<SummariesApp, 'documentPanel'>): DocumentAddress | undefined {
  const uri = documentPanel.uri ?? vscode.window.activeTextEditor?.document.uri;
  return uri && parseDocumentUri(uri);
}

/** Offers an undo or redo. The command doesn't wait for the answer. */
export function offerUndo(
  app: Pick<SummariesApp, 'describe'>,
  text: string,
  label: string,
  act: () => Promise<void>,
): void {
  void showInfoWithAction(text, label, act).catch((error: unknown) =>
    vscode.window.showErrorMessage(app.describe(error).text),
  );
}
