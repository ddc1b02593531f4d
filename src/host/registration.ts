import * as vscode from 'vscode';
import type { ChatRow } from './all-chats/chat-rows.ts';
import type { MemoryEntry } from '../core/memory/memory.ts';
import {
  CHAT_PANEL,
  CHATS_VIEW,
  CHAT_VIEW,
  DECISIONS_TOOL,
  DOCUMENT_SCHEME,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  SUMMARIES_VIEW,
} from './platform/ids.ts';
import type { Row } from './summaries/rows.ts';

type Pages = vscode.WebviewPanelSerializer & vscode.WebviewViewProvider;
/** The commands in the manifest. */
interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** What VS Code calls through the entry points that are registered at startup. */
export interface EntryPoints {
  readonly panel: Pages;
  readonly tree: vscode.TreeDataProvider<Row>;
  readonly memoryTree: vscode.TreeDataProvider<MemoryEntry>;
  readonly chatsTree: vscode.TreeDataProvider<ChatRow>;
  readonly files: vscode.FileSystemProvider;
  readonly tools: Readonly<Record<typeof RECALL_TOOL | typeof DECISIONS_TOOL, vscode.LanguageModelTool<unknown>>>;
  readonly answer: vscode.ChatRequestHandler;
  /** Runs a command by its ID. */
  runFromEditor(command: string, ...args: readonly unknown[]): Promise<void>;
}

/**
 * Registers everything that may activate the extension. The implementation is loaded on first use. Registrations end
 * with the extension. Returns the *Context* view.
 */
export function registerEntryPoints(
  { subscriptions, extension, extensionUri }: vscode.ExtensionContext,
  product: () => Promise<EntryPoints>,
): vscode.TreeView<Row> {
  const rows = lazyTree(async () => (await product()).tree);
  const pages = lazyPages(async () => (await product()).panel);
  const files = lazyFiles(async () => (await product()).files);
  const view = vscode.window.createTreeView(SUMMARIES_VIEW, { treeDataProvider: rows, showCollapseAll: true });
  const { commands } = (extension.packageJSON as Manifest).contributes;
  subscriptions.push(
    view,
    vscode.window.registerTreeDataProvider(
      MEMORY_VIEW,
      lazyTree(async () => (await product()).memoryTree),
    ),
    vscode.window.registerTreeDataProvider(
      CHATS_VIEW,
      lazyTree(async () => (await product()).chatsTree),
    ),
    vscode.workspace.registerFileSystemProvider(DOCUMENT_SCHEME, files, { isCaseSensitive: true }),
    vscode.window.registerWebviewPanelSerializer(CHAT_PANEL, pages),
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, pages),
    ...commands.map(({ command }) =>
      vscode.commands.registerCommand(command, async (...args: readonly unknown[]) =>
        (await product()).runFromEditor(command, ...args),
      ),
    ),
  );
  // Not every editor has language models and a chat.
  if (Object.hasOwn(vscode, 'lm'))
    for (const name of [RECALL_TOOL, DECISIONS_TOOL] as const)
      subscriptions.push(
        vscode.lm.registerTool<unknown>(name, {
          invoke: async (options, token) => (await product()).tools[name].invoke(options, token),
          prepareInvocation: async (options, token) =>
            (await product()).tools[name].prepareInvocation?.(options, token),
        }),
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

function lazyTree<T>(load: () => Promise<vscode.TreeDataProvider<T>>): vscode.TreeDataProvider<T> {
  const [find, onDidChangeTreeData] = followed(load, ({ onDidChangeTreeData: event }) => event);
  return {
    onDidChangeTreeData,
    getChildren: async (row) => (await find()).getChildren(row),
    getTreeItem: async (row) => (await find()).getTreeItem(row),
    getParent: async (row) => (await find()).getParent?.(row),
    resolveTreeItem: async (item, row, token) => (await find()).resolveTreeItem?.(item, row, token),
  };
}

function lazyFiles(load: () => Promise<vscode.FileSystemProvider>): vscode.FileSystemProvider {
  const [find, onDidChangeFile] = followed(load, ({ onDidChangeFile: event }) => event);
  return {
    onDidChangeFile,
    // Open documents are refreshed whenever the session changes, so there is nothing to watch.
    watch: () => new vscode.Disposable(() => undefined),
    stat: async (uri) => (await find()).stat(uri),
    readFile: async (uri) => (await find()).readFile(uri),
    writeFile: async (uri, content, options) => (await find()).writeFile(uri, content, options),
    readDirectory: async (uri) => (await find()).readDirectory(uri),
    createDirectory: async (uri) => (await find()).createDirectory(uri),
    delete: async (uri, options) => (await find()).delete(uri, options),
    rename: async (from, to, options) => (await find()).rename(from, to, options),
  };
}

/** Loads a provider on the first call, and forwards its events from then on. */
function followed<P, E>(
  load: () => Promise<P>,
  eventOf: (provider: P) => vscode.Event<E> | undefined,
): readonly [find: () => Promise<P>, event: vscode.Event<E>] {
  const changed = new vscode.EventEmitter<E>();
  let subscription: vscode.Disposable | undefined;
  const find = async (): Promise<P> => {
    const provider = await load();
    subscription ??= eventOf(provider)?.((value) => changed.fire(value));
    return provider;
  };
  return [find, changed.event];
}

/** The user may close a tab or view while the product is loading; it then can't be filled. */
function lazyPages(find: () => Promise<Pages>): Pages {
  const unlessClosed = async (
    place: vscode.WebviewPanel | vscode.WebviewView,
    fill: (pages: Pages) => unknown,
  ): Promise<void> => {
    const closed = new AbortController();
    place.onDidDispose(() => closed.abort());
    const pages = await find();
    if (!closed.signal.aborted) await fill(pages);
  };
  return {
    deserializeWebviewPanel: (panel, state) =>
      unlessClosed(panel, (pages) => pages.deserializeWebviewPanel(panel, state)),
    resolveWebviewView: (view, context, token) =>
      unlessClosed(view, (pages) => pages.resolveWebviewView(view, context, token)),
  };
}
