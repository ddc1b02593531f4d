import * as vscode from 'vscode';
import type { ChatRow } from './all-chats/chat-rows.ts';
import type { MemoryEntry } from '../core/memory/memory.ts';
import {
  CHAT_PANEL,
  CHATS_VIEW,
  CHAT_VIEW,
  COMMANDS,
  DECISIONS_TOOL,
  DOCUMENT_SCHEME,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  SUMMARIES_VIEW,
  type CommandName,
} from './platform/ids.ts';
import type { Row } from './summaries/rows.ts';

/** What the editor asks of the product through what is registered at start-up. */
export interface EntryPoints {
  readonly panel: vscode.WebviewPanelSerializer & vscode.WebviewViewProvider;
  readonly tree: vscode.TreeDataProvider<Row>;
  readonly memoryTree: vscode.TreeDataProvider<MemoryEntry>;
  readonly chatsTree: vscode.TreeDataProvider<ChatRow>;
  readonly files: vscode.FileSystemProvider;
  readonly tools: Readonly<Record<typeof RECALL_TOOL | typeof DECISIONS_TOOL, vscode.LanguageModelTool<unknown>>>;
  readonly answer: vscode.ChatRequestHandler;
  runFromEditor(name: CommandName, ...args: readonly unknown[]): Promise<void>;
}

/**
 * Registers everything that the editor may wake the extension for. The implementation is loaded on first use. What is
 * registered ends with the extension. Returns the *Summaries* view.
 */
export function registerEntryPoints(
  { subscriptions, extensionUri }: Pick<vscode.ExtensionContext, 'subscriptions' | 'extensionUri'>,
  product: () => Promise<EntryPoints>,
): vscode.TreeView<Row> {
  const rows = lazyTree(async () => (await product()).tree);
  const memory = lazyTree(async () => (await product()).memoryTree);
  const chats = lazyTree(async () => (await product()).chatsTree);
  const files = lazyFiles(async () => (await product()).files);
  const pages = lazyPages(async () => (await product()).panel);
  const view = vscode.window.createTreeView(SUMMARIES_VIEW, { treeDataProvider: rows, showCollapseAll: true });
  subscriptions.push(
    rows,
    memory,
    chats,
    files,
    view,
    vscode.window.registerTreeDataProvider(MEMORY_VIEW, memory),
    vscode.window.registerTreeDataProvider(CHATS_VIEW, chats),
    vscode.workspace.registerFileSystemProvider(DOCUMENT_SCHEME, files, { isCaseSensitive: true }),
    vscode.window.registerWebviewPanelSerializer(CHAT_PANEL, pages),
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, pages),
    ...(Object.keys(COMMANDS) as CommandName[]).map((name) =>
      vscode.commands.registerCommand(`threadkeeper.${name}`, async (...args: readonly unknown[]) =>
        (await product()).runFromEditor(name, ...args),
      ),
    ),
  );
  // Not every editor has models and a chat of its own.
  if (Object.hasOwn(vscode, 'lm'))
    for (const name of [RECALL_TOOL, DECISIONS_TOOL] as const) {
      const tool = lazyProvider<vscode.LanguageModelTool<unknown>>(async () => (await product()).tools[name], {
        prepareInvocation: true,
        invoke: true,
      });
      subscriptions.push(tool, vscode.lm.registerTool(name, tool));
    }
  if (Object.hasOwn(vscode, 'chat')) {
    const participant = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
      (await product()).answer(request, context, stream, token),
    );
    participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media/icon.svg');
    subscriptions.push(participant);
  }
  return view;
}

function lazyTree<T>(find: () => Promise<vscode.TreeDataProvider<T>>): LazyProvider<vscode.TreeDataProvider<T>> {
  const methods = { getChildren: true, getTreeItem: true, getParent: true, resolveTreeItem: true } as const;
  return lazyProvider<vscode.TreeDataProvider<T>>(find, methods, 'onDidChangeTreeData');
}

function lazyFiles(find: () => Promise<vscode.FileSystemProvider>): vscode.FileSystemProvider & { dispose(): void } {
  const files = lazyProvider<Omit<vscode.FileSystemProvider, 'copy' | 'watch'>>(
    find,
    {
      stat: true,
      readFile: true,
      writeFile: true,
      readDirectory: true,
      createDirectory: true,
      delete: true,
      rename: true,
    },
    'onDidChangeFile',
  );
  // Open documents are looked at whenever the session changes, so there is nothing to watch.
  return { ...files, watch: () => new vscode.Disposable(() => undefined) };
}

/** The user may close a tab or view while the product is being loaded; a page that is gone cannot be filled. */
function lazyPages(
  find: () => Promise<vscode.WebviewPanelSerializer & vscode.WebviewViewProvider>,
): vscode.WebviewPanelSerializer & vscode.WebviewViewProvider {
  const unlessClosed = async (
    place: vscode.WebviewPanel | vscode.WebviewView,
    fill: (pages: vscode.WebviewPanelSerializer & vscode.WebviewViewProvider) => unknown,
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

type EventName<P> = keyof P & `onDid${string}`;
type MethodName<P> = Exclude<
  { [K in keyof P]-?: NonNullable<P[K]> extends (...args: never[]) => unknown ? K : never }[keyof P],
  EventName<P>
>;

/** The methods and events of a provider, and an end. */
type LazyProvider<P> = Pick<P, MethodName<P> | EventName<P>> & { dispose(): void };

/**
 * A provider for the editor whose methods and events all come from one that is loaded when a method is first called.
 * `methods` has to name every method of the editor's interface: the editor looks which optional ones are there, so
 * one that is left out here would be lost without a word.
 */
function lazyProvider<P extends object>(
  find: () => Promise<P>,
  methods: Readonly<Record<MethodName<P>, true>>,
  ...events: readonly EventName<P>[]
): LazyProvider<P> {
  const emitters = new Map(events.map((name) => [name, new vscode.EventEmitter<unknown>()]));
  const subscriptions: vscode.Disposable[] = [];
  let followed: P | undefined;
  const found = async (): Promise<P> => {
    const provider = await find();
    if (followed === provider) return provider;
    followed = provider;
    for (const subscription of subscriptions.splice(0)) subscription.dispose();
    // What changed before the first call is in its answer.
    for (const [name, emitter] of emitters) {
      const event = provider[name] as vscode.Event<unknown> | undefined;
      if (event) subscriptions.push(event((value) => emitter.fire(value)));
    }
    return provider;
  };
  const call = async (name: keyof P, args: readonly unknown[]): Promise<unknown> => {
    const provider = await found();
    const method = provider[name];
    return typeof method === 'function' ? (method.apply(provider, args) as unknown) : undefined;
  };
  const names = Object.keys(methods) as MethodName<P>[];
  return {
    ...Object.fromEntries(names.map((name) => [name, (...args: readonly unknown[]) => call(name, args)])),
    ...Object.fromEntries([...emitters].map(([name, emitter]) => [name, emitter.event])),
    dispose: () => {
      for (const subscription of [...subscriptions, ...emitters.values()]) subscription.dispose();
    },
    // The compiler cannot see that names and methods were paired above.
  } as LazyProvider<P>;
}
