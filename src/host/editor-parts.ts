import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import { ExplainAction } from './chat/editor-commands.ts';
import { documentLenses } from './summaries/document-lenses.ts';
import { readingAids } from './summaries/document-outline.ts';
import type { SessionFiles } from './summaries/document-files.ts';
import { OPEN_ROW } from './summaries/items.ts';

/** What the editor shows of ours in its own places: around a session's documents, at problems, behind a row. */
export function editorParts(
  files: SessionFiles,
  conversationOf: (session: string) => Promise<Conversation | undefined>,
): vscode.Disposable[] {
  return [
    ...readingAids((uri) => files.page(uri)),
    documentLenses(conversationOf),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, new ExplainAction(), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.commands.registerCommand(OPEN_ROW, (open: () => Promise<void>) => open()),
  ];
}
