import * as vscode from 'vscode';
import type { MemoryEntry } from '../core/memory/memory.ts';
import {
  CHAT_PANEL,
  CHAT_VIEW,
  COMMAND,
  DECISIONS_TOOL,
  DOCUMENT_SCHEME,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  SUMMARIES_VIEW,
  type CommandId,
} from './platform/ids.ts';
import { LateFiles, type Documents } from './platform/lazy-files.ts';
import { latePages } from './platform/lazy-pages.ts';
import { lateTool } from './platform/lazy-tool.ts';
import { LateTree, type Rows } from './platform/lazy-tree.ts';
import type { Row } from './summaries/tree/rows.ts';

/** What the editor asks of the product by way of what is registered at once. */
export interface Woken {
  readonly panel: vscode.WebviewPanelSerializer & vscode.WebviewViewProvider;
  readonly tree: Rows<Row>;
  readonly memoryTree: Rows<MemoryEntry>;
  readonly files: Documents;
  readonly tools: Readonly<Record<typeof RECALL_TOOL | typeof DECISIONS_TOOL, vscode.LanguageModelTool<unknown>>>;
  readonly answer: vscode.ChatRequestHandler;
  runCommand(id: CommandId, argument: unknown, more: unknown): Promise<void>;
}

/**
 * Registers all that the editor may wake the extension for, and nothing that has to be read for it: who asks first has
 * the product read. What is registered ends with the extension. Returns the *Summaries* view.
 */
export function registerAtOnce(
  { subscriptions, extensionUri }: Pick<vscode.ExtensionContext, 'subscriptions' | 'extensionUri'>,
  product: () => Promise<Woken>,
): vscode.TreeView<Row> {
  const summaries = new LateTree(async () => (await product()).tree);
  const memory = new LateTree(async () => (await product()).memoryTree);
  const files = new LateFiles(async () => (await product()).files);
  const pages = latePages(async () => (await product()).panel);
  const view = vscode.window.createTreeView(SUMMARIES_VIEW, { treeDataProvider: summaries, showCollapseAll: true });
  subscriptions.push(
    summaries,
    memory,
    files,
    view,
    vscode.window.registerTreeDataProvider(MEMORY_VIEW, memory),
    vscode.workspace.registerFileSystemProvider(DOCUMENT_SCHEME, files, { isCaseSensitive: true }),
    vscode.window.registerWebviewPanelSerializer(CHAT_PANEL, pages),
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, pages),
    ...Object.values(COMMAND).map((id) =>
      vscode.commands.registerCommand(id, async (argument?: unknown, more?: unknown) =>
        (await product()).runCommand(id, argument, more),
      ),
    ),
  );
  // Not every editor has models and a chat of its own.
  if (Object.hasOwn(vscode, 'lm'))
    subscriptions.push(
      ...([RECALL_TOOL, DECISIONS_TOOL] as const).map((name) =>
        vscode.lm.registerTool(
          name,
          lateTool(async () => (await product()).tools[name]),
        ),
      ),
    );
  if (Object.hasOwn(vscode, 'chat')) {
    const participant = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
      (await product()).answer(request, context, stream, token),
    );
    participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media/icon.svg');
    subscriptions.push(participant);
  }
  return view;
}
