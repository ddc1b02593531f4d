import * as vscode from 'vscode';
import type { ChartPanel } from '../gauge/chart-panel.ts';
import type { ModelsApp } from '../models/models.ts';
import type { HostApp } from '../platform/host-app.ts';
import { showInfoWithAction } from '../platform/notifications.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { Comparison } from './comparison.ts';
import { parseDocumentUri, type DocumentAddress } from './document-uris.ts';
import type { DocumentPanel } from './document-panel.ts';
import type { ContextTree } from './context-tree.ts';

export interface SummariesApp extends HostApp, ModelsApp {
  readonly tree: ContextTree;
  /** Created when it's first shown. */
  chart: ChartPanel | undefined;
  readonly comparison: Comparison;
  readonly documentPanel: DocumentPanel;
  readonly panel: HostApp['panel'] & { show(target: 'preview'): void };
  current(): Promise<OpenConversation>;
}

/** The active document of a session, rendered or as text. */
export function activeDocument({ documentPanel }: Pick<SummariesApp, 'documentPanel'>): DocumentAddress | undefined {
  const uri = documentPanel.uri ?? vscode.window.activeTextEditor?.document.uri;
  return uri && parseDocumentUri(uri);
}

/** Offers an undo or redo. The command doesn't wait for the answer. */
export function offerUndo(app: HostApp, text: string, label: string, act: () => Promise<void>): void {
  void showInfoWithAction(text, label, act).catch((error: unknown) =>
    vscode.window.showErrorMessage(app.describe(error).text),
  );
}
