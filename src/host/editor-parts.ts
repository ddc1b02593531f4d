import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import { ExplainAction } from './commands/editor-commands.ts';
import { documentLenses } from './documents/lenses.ts';
import { readingAids } from './documents/reading.ts';
import type { SessionFiles } from './documents/session-files.ts';
import { OPEN_ROW } from './tree/items.ts';

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
