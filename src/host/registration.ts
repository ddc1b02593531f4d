import * as vscode from 'vscode';
import {
  CHAT_PANEL,
  EXTERNAL_CHATS_VIEW,
  CHAT_VIEW,
  DECISIONS_TOOL,
  DOCUMENT_SCHEME,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  CONTEXT_VIEW,
} from './platform/contribution-ids.ts';
import type { EditableFiles } from './summaries/document-files.ts';
import type { ContextRow } from './summaries/context-rows.ts';
import type { Threadkeeper } from './threadkeeper.ts';

type Pages = vscode.WebviewPanelSerializer & vscode.WebviewViewProvider;
/** The used part of the manifest. */
interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** Registers everything that may activate the extension, which is loaded on first use. Returns the *Context* view. */
export function registerEntryPoints(
  { subscriptions, extension, extensionUri }: vscode.ExtensionContext,
  product: () => Promise<Threadkeeper>,
): vscode.TreeView<ContextRow> {
  const rows = lazyTree(async () => (await product()).tree);
  const pages = lazyPages(async () => (await product()).panel);
  const files = lazyFiles(async () => (await product()).files);
  const view = vscode.window.createTreeView(CONTEXT_VIEW, { treeDataProvider: rows, showCollapseAll: true });
  const { commands } = (extension.packageJSON as Manifest).contributes;
  subscriptions.push(
    view,
    vscode.window.registerTreeDataProvider(
      MEMORY_VIEW,
      lazyTree(async () => (await product()).memoryTree),
    ),
    vscode.window.registerTreeDataProvider(
      EXTERNAL_CHATS_VIEW,
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
  for (const name of [RECALL_TOOL, DECISIONS_TOOL] as const)
    subscriptions.push(
      vscode.lm.registerTool<unknown>(name, {
        invoke: async (options, token) => (await product()).tools[name].invoke(options, token),
        prepareInvocation: async (options, token) => (await product()).tools[name].prepareInvocation?.(options, token),
      }),
    );
  // Not every editor based on VS Code has a chat.
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
  const [get, onDidChangeTreeData] = lazyProvider(load, ({ onDidChangeTreeData: event }) => event);
  return {
    onDidChangeTreeData,
    getChildren: async (row) => (await get()).getChildren(row),
    getTreeItem: async (row) => (await get()).getTreeItem(row),
    getParent: async (row) => (await get()).getParent?.(row),
    resolveTreeItem: async (item, row, token) => (await get()).resolveTreeItem?.(item, row, token),
  };
}

function lazyFiles(load: () => Promise<EditableFiles>): vscode.FileSystemProvider {
  const refuse = (uri: vscode.Uri): never => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  const [get, onDidChangeFile] = lazyProvider(load, ({ onDidChangeFile: event }) => event);
  return {
    onDidChangeFile,
    // Open documents are refreshed whenever the session changes, so there is nothing to watch.
    watch: () => new vscode.Disposable(() => undefined),
    stat: async (uri) => (await get()).stat(uri),
    readFile: async (uri) => (await get()).readFile(uri),
    writeFile: async (uri, content, options) => (await get()).writeFile(uri, content, options),
    readDirectory: refuse,
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
}

/** Loads a provider on the first call, and forwards its events from then on. */
function lazyProvider<P, E>(
  load: () => Promise<P>,
  eventOf: (provider: P) => vscode.Event<E> | undefined,
): readonly [get: () => Promise<P>, event: vscode.Event<E>] {
  const changed = new vscode.EventEmitter<E>();
  let subscription: vscode.Disposable | undefined;
  const get = async (): Promise<P> => {
    const provider = await load();
    subscription ??= eventOf(provider)?.((value) => changed.fire(value));
    return provider;
  };
  return [get, changed.event];
}

/** Fills a tab or view when the product is loaded, unless the user has closed it meanwhile. */
function lazyPages(get: () => Promise<Pages>): Pages {
  const unlessClosed = async (
    container: vscode.WebviewPanel | vscode.WebviewView,
    fill: (pages: Pages) => unknown,
  ): Promise<void> => {
    const closed = new AbortController();
    container.onDidDispose(() => closed.abort());
    const pages = await get();
    if (!closed.signal.aborted) await fill(pages);
  };
  return {
    deserializeWebviewPanel: (panel, state) =>
      unlessClosed(panel, (pages) => pages.deserializeWebviewPanel(panel, state)),
    resolveWebviewView: (view, context, token) =>
      unlessClosed(view, (pages) => pages.resolveWebviewView(view, context, token)),
  };
}
