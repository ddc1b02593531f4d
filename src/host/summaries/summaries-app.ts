import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { FaultView } from '../../protocol/faults.ts';
import type { ChartPanel } from '../gauge/chart-panel.ts';
import type { ModelsApp } from '../models/models.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { Comparison } from './comparison.ts';
import { parseDocumentUri, type DocumentAddress } from './documents.ts';
import type { Reader } from './reader.ts';
import type { SummariesTree } from './summaries-tree.ts';

/** What commands on summaries, key events and compressions need of the product. */
export interface SummariesApp extends ModelsApp {
  readonly clock: Clock;
  readonly tree: SummariesTree;
  readonly chart: ChartPanel;
  readonly comparison: Comparison;
  readonly reader: Reader;
  readonly panel: { reveal(session: SessionId, position: number): void; show(target: 'preview'): void };
  /** The current session with what can be done to it alone; the latest one if none was opened yet. */
  current(): Promise<OpenConversation>;
  /** What the user reads of an error. */
  describe(error: unknown): FaultView;
}

/** The session's document in front, rendered or as a text. */
export function addressInFront({ reader }: Pick<SummariesApp, 'reader'>): DocumentAddress | undefined {
  const uri = reader.uri ?? vscode.window.activeTextEditor?.document.uri;
  return uri && parseDocumentUri(uri);
}
