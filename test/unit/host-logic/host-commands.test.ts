import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as SearchModule from '../../../src/host/search/search-commands.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { gaugeView } from '../../../src/host/gauge/gauge-view.ts';
import { waitTextAt } from '../../../src/protocol/faults.ts';
import { editSummary, setLevel } from '../../../src/app/summary-changes.ts';
import { SessionSearch } from '../../../src/app/session-search.ts';
import type * as ChatsModule from '../../../src/host/external-chats/external-chat-commands.ts';
import { setTimeout as pass } from 'node:timers/promises';
import type * as TranscriptModule from '../../../src/host/import-export/transcript-batches.ts';
import type * as ImportModule from '../../../src/host/import-export/import-file.ts';
import { ExternalChatJournal, externalChatSessionId } from '../../../src/app/library/external-chat-journal.ts';
import type * as RulesModule from '../../../src/host/rules/project-rules.ts';
import type * as FilesModule from '../../../src/host/summaries/document-files.ts';
import type * as ReaderModule from '../../../src/host/summaries/document-panel.ts';
import type * as ChartModule from '../../../src/host/gauge/chart-panel.ts';
import type * as ExportModule from '../../../src/host/import-export/export-session.ts';
import type * as FaultModule from '../../../src/host/platform/fault-view.ts';
import { CHAT_ENTRY } from '../../support/external-chats.ts';
import { defaultSettings, EventEmitter, hostIn, nothing, workspaceWith } from '../../support/fake-editor.ts';
import { Harness, fill } from '../app/harness.ts';
import { folderForEachTest, openForEachTest } from '../../support/per-test.ts';
import { alwaysDue } from '../../support/yielders.ts';

const settings = defaultSettings();
const fails = (error: unknown): never => assert.fail(String(error));
class RelativePattern {
  readonly base: { readonly uri: Uri };
  constructor(base: { readonly uri: Uri }) {
    this.base = base;
  }
}
class Uri {
  static file = (fsPath: string): Uri => new Uri(fsPath);
  static from = ({ path: own }: { readonly path: string }): Uri =>
    Object.assign(new Uri(own), { scheme: 'threadkeeper' });
  static joinPath = ({ path: base }: Uri, ...parts: string[]): Uri => new Uri(path.join(base, ...parts));
  scheme = 'file';
  toString = (): string => `${this.scheme}:${this.path}`;
  readonly path: string;
  constructor(fsPath: string) {
    this.path = fsPath;
  }
  get fsPath(): string {
    return this.path;
  }
}
const shownMessages: string[] = [];
const foldersChanged = new EventEmitter();
const watched: string[] = [];
const editor = {
  Uri,
  RelativePattern,
  FileSystemError: class extends Error {},
  ViewColumn: { Beside: -2 },
  commands: { executeCommand: () => Promise.resolve() },
  window: {
    showInformationMessage: (text: string) => Promise.resolve(shownMessages.push(text)).then(() => undefined),
    showErrorMessage: (text: string): Promise<undefined> => assert.fail(text),
    showInputBox: (): Promise<string | undefined> => Promise.resolve(undefined),
    /** Selects every item. */
    showQuickPick: (
      items: readonly { readonly label: string }[],
      { canPickMany }: { readonly canPickMany?: boolean } = {},
    ): Promise<unknown> => Promise.resolve(canPickMany ? items : items[0]),
    showTextDocument: (document: unknown) => Promise.resolve(document),
    createWebviewPanel: (): unknown => assert.fail(),
    createQuickPick: (): unknown => assert.fail(),
    showSaveDialog: (): Promise<Uri | undefined> => Promise.resolve(undefined),
  },
  workspace: {
    isTrusted: true,
    textDocuments: [],
    openTextDocument: (uri: unknown) => Promise.resolve(uri),
    workspaceFolders: [] as { readonly uri: Uri }[],
    getWorkspaceFolder: ({ path: file }: Uri) =>
      editor.workspace.workspaceFolders.find(({ uri }) => file.startsWith(uri.path)),
    asRelativePath: ({ path: file }: Uri) => path.basename(file),
    onDidGrantWorkspaceTrust: () => nothing,
    onDidChangeWorkspaceFolders: foldersChanged.event,
    createFileSystemWatcher: ({ base: { uri } }: RelativePattern) => {
      watched.push(uri.path);
      const dispose = (): void => void watched.splice(watched.indexOf(uri.path), 1);
      return { dispose, onDidCreate: () => nothing, onDidChange: () => nothing, onDidDelete: () => nothing };
    },
    ...workspaceWith(settings),
    fs: {
      stat: ({ path: file }: Uri) => existing(() => statSync(file)),
      readFile: ({ path: file }: Uri): Promise<Buffer> => existing(() => readFileSync(file)),
      writeFile: ({ path: file }: Uri, bytes: Uint8Array) => Promise.resolve(writeFileSync(file, bytes)),
    },
  },
};

const existing = <T>(look: () => T): Promise<T> =>
  Promise.resolve()
    .then(look)
    .catch((error: unknown) => Promise.reject(new editor.FileSystemError(String(error))));

const load = hostIn(editor);
const { exportSession } = await load<typeof ExportModule>('import-export/export-session.ts');
const { faultView, notificationText } = await load<typeof FaultModule>('platform/fault-view.ts');
const { chartPanel } = await load<typeof ChartModule>('gauge/chart-panel.ts');
const { findForgotten } = await load<typeof SearchModule>('search/search-commands.ts');
const { importMessages } = await load<typeof ImportModule>('import-export/import-file.ts');
const { openChat, searchChats, chatsAboutFile, restoreDropped } = await load<typeof ChatsModule>(
  'external-chats/external-chat-commands.ts',
);
const { ProjectRules } = await load<typeof RulesModule>('rules/project-rules.ts');
const { DocumentPanel } = await load<typeof ReaderModule>('summaries/document-panel.ts');
const { SessionFiles } = await load<typeof FilesModule>('summaries/document-files.ts');
const { exportedBatches } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');

describe('editor commands', () => {
  let harness: Harness;
  let folder = '';
  openForEachTest(async () => (harness = await Harness.open()));
  folderForEachTest((made) => (folder = made));
  const { fs, ...workspace } = editor.workspace;
  const original = { fs: { ...fs }, workspace, window: { ...editor.window } };
  beforeEach(() => {
    shownMessages.length = 0;
    Object.assign(fs, original.fs);
    Object.assign(editor.workspace, original.workspace);
    Object.assign(editor.window, original.window);
  });

  for (const name of ['session.jsonl', 'session.md'])
    it(`yield after each message when an export masks secrets: ${name}`, async () => {
      const conversation = await harness.filled(40, (n) => `The password for host ${n} is: password=Tr0ub4dor-${n}-x9`);
      let rests = 0;
      const yielder = alwaysDue(() => {
        rests++;
      });
      const file = path.join(folder, name);
      await exportSession(conversation, new Uri(file) as never, { clock: { ...harness.clock, yielder } });
      assert.ok(rests >= 40, String(rests));
      assert.doesNotMatch(readFileSync(file, 'utf8'), /Tr0ub4dor/);
      assert.match(shownMessages.at(-1)!, /Masked secrets: \d/);
    });

  it('say why an export could not be saved', async () => {
    const conversation = await harness.converse();
    const file = new Uri(path.join(folder, 'notes.md'));
    for (const [code, message, said] of [
      ['NoPermissions', '', /^Couldn’t save notes\.md because the folder isn’t writable\. Check its permissions/],
      ['Unknown', 'ENOSPC: no space left', /^Couldn’t save notes\.md because the disk is full\./],
      ['Unknown', "Unable to write file '/notes.md' (Error: EROFS: read-only file system)", /folder isn’t writable\./],
      ['Unknown', 'EIO: i/o error', /^Couldn’t save notes\.md \(EIO: i\/o error\)\. Try again/],
    ] as const) {
      // Like in VS Code, the error has no system error code.
      fs.writeFile = () => Promise.reject(Object.assign(new editor.FileSystemError(message), { code }));
      const fault: unknown = await exportSession(conversation, file as never, harness).then(
        fails,
        (error: unknown) => error,
      );
      assert.match(faultView(fault).text, said);
    }
  });

  it('show a provider’s message about a rejected request as plain text, apart from the text that may be logged', () => {
    const details = 'Did you mean [gpt-4o](command:workbench.action.quit)?';
    const view = faultView(new ModelFault('model_not_found', 'not found', { details }));
    assert.doesNotMatch(view.text, /gpt-4o/);
    assert.equal(view.details, `Provider’s message: ${details}`);
    const plain = 'Did you mean [gpt-4o] (command:workbench.action.quit)?';
    assert.equal(notificationText(view), `${view.text} Provider’s message: ${plain}`);
    const other = faultView(new ModelFault('overloaded', 'busy'));
    assert.equal(notificationText(other), other.text);
  });

  it('say how long to wait for a provider, at any time until then', () => {
    const { text, wait } = faultView(new ModelFault('rate_limited', 'slow down', { retryAfterMs: 30_000 }));
    assert.equal(text, 'Rate limit reached. Try again in 30 seconds.');
    assert.ok(wait);
    const textAt = (msBefore: number) => waitTextAt(wait, wait.until - msBefore, (english) => english);
    assert.equal(textAt(30_000), text);
    assert.equal(textAt(6_000), 'Rate limit reached. Try again in 6 seconds.');
    assert.equal(textAt(-1), 'Rate limit reached. Try again in a moment.');
    assert.equal(faultView(new ModelFault('rate_limited', 'slow down')).wait, undefined);
  });

  it('mask secrets in a saved chart, including one that would be cut off at the end of a quote', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Rotate password=Tr0ub4dor-x9', []);
    await conversation.resetTask();
    const begun = 'We decided to use the gateway in Frankfurt for all of the staging hosts, old and new';
    await fill(conversation, 80, (n) => (n === 0 ? `${begun}, with the token ghp_${'aB3dE6gH9'.repeat(4)}.` : 'Fine.'));
    assert.equal((await conversation.compressNow()).kind, 'committed');
    const file = path.join(folder, 'context.svg');
    editor.window.showSaveDialog = () => Promise.resolve(new Uri(file));
    await chartPanel(() => conversation).save();
    const svg = readFileSync(file, 'utf8');
    assert.deepEqual([svg.includes('Rotate '), svg.includes('Frankfurt')], [true, true]);
    assert.doesNotMatch(svg, /Tr0ub4dor|ghp_/);
  });

  it('pin a quote from forgotten messages without splitting the emoji at its end', async () => {
    const conversation = await harness.converse();
    const said = `Hm, about that lamp by the pier, well, ${'x '.repeat(200)}`.slice(0, 398).concat('y');
    await fill(conversation, 60, (n) => (n === 0 ? `${said}\u{1f5fc} and so on.` : `Line ${n} is dry.`));
    assert.equal((await conversation.compressNow()).kind, 'committed');
    const { journal, counter, state } = conversation;
    const { id } = state.frontier[0]!.node;
    await setLevel(journal, id, 'detailed');
    await editSummary(journal, counter, id, 'detailed', 'They talked about a listing.');
    const search = new SessionSearch(() => state, harness.clock);
    await search.updateIndex();
    const found = (_: unknown, query: string) => Promise.resolve(search.search(query, 20, undefined, ['message']));
    await findForgotten(conversation, 'lamp pier xxx', { clock: harness.clock, search: found } as never);
    const pinned = [...state.events.values()].filter((event) => event.pinned);
    assert.equal(pinned.length, 1);
    assert.ok(pinned[0]!.quote.isWellFormed(), pinned[0]!.quote);
    assert.equal(pinned[0]!.quote, said);
  });

  it('return to another tool’s chat when an import started from it is cancelled', async () => {
    const chat = { id: 'chat', isExternal: true };
    const made = { journal: { append: () => Promise.resolve() }, import: (work: () => unknown) => work() };
    const shown: unknown[] = [];
    const sessions = {
      current: { journal: chat } as object,
      list: () => Promise.resolve([]),
      create: () => Promise.resolve((sessions.current = made)),
      show: (journal: unknown) => Promise.resolve(shown.push(journal)),
      leave: () => Promise.resolve(shown.push('nothing')),
    };
    const canceled = { isCancelled: () => true, report: () => undefined };
    const batches = (async function* () {
      yield await Promise.resolve({ messages: [] });
    })();
    assert.equal(await importMessages({ sessions } as never, 'Canceled', batches, canceled, []), undefined);
    assert.deepEqual(shown, [chat]);
  });

  it('show the chat that was opened last, even if an earlier one takes longer to read', async () => {
    const entryOf = (title: string) =>
      ({ id: title, tool: 'codex', path: '/s', title, messages: 1, compactions: 0, updatedAt: 1 }) as const;
    const copyOf = (text: string) => ({ messages: [{ role: 'user', text }], compactions: [], lost: [] }) as const;
    const large = Promise.withResolvers<object>();
    const shown: string[] = [];
    const sessions = {
      current: undefined as object | undefined,
      show: (journal: ExternalChatJournal) => {
        shown.push(journal.state.title);
        const counts = { counts: { known: () => 0 }, counter: { text: () => 0 } };
        return Promise.resolve((sessions.current = { journal, state: journal.state, ...counts }));
      },
    };
    const library = {
      read: (key: string): Promise<object> => (key === 'large' ? large.promise : Promise.resolve(copyOf(key))),
    };
    const panel = { open: () => undefined };
    const app = { sessions, clock: harness.clock, chats: { library }, panel, describe: fails };
    const first = openChat(app as never, { key: 'large', entry: entryOf('Large') } as never);
    const second = openChat(app as never, { key: 'small', entry: entryOf('Small') } as never);
    assert.equal(await second, true);
    large.resolve(copyOf('large'));
    assert.equal(await first, false);
    assert.deepEqual(shown, ['Small']);
  });

  const pickerEvents = () => {
    const heard: Record<string, () => void> = {};
    const names = ['onDidChangeValue', 'onDidAccept', 'onDidHide'];
    const events = Object.fromEntries(names.map((name) => [name, (then: () => void) => (heard[name] = then)]));
    return { heard, events };
  };

  it('show no progress of a chat search whose text was cleared while it ran', async () => {
    const { heard, events } = pickerEvents();
    const picker = {
      ...events,
      value: '',
      items: [] as readonly { label: string }[],
      busy: false,
      show: () => undefined,
      dispose: () => undefined,
    };
    editor.window.createQuickPick = () => picker;
    const found = Promise.withResolvers<readonly never[]>();
    const library = { search: () => found.promise };
    const chats = { list: () => Promise.resolve({ chats: [{ key: 'c', entry: { tool: 'codex' } }] }), library };
    const searched = searchChats({ chats, clock: harness.clock } as never, 'port');
    await pass(1);
    assert.equal(picker.busy, true);
    picker.value = '';
    heard['onDidChangeValue']!();
    await pass(200);
    found.resolve([]);
    await pass(1);
    assert.equal(picker.busy, false);
    assert.match(picker.items.map(({ label }) => label).join('\n'), /^Filters: .*$/);
    heard['onDidHide']!();
    assert.equal(await searched, false);
  });

  it('keep a chat search open if Enter is pressed before its results are shown', async () => {
    const { heard, events } = pickerEvents();
    const selectedItems: readonly { label: string }[] = [];
    const shown = { hide: () => heard['onDidHide']!(), show: () => undefined, dispose: () => undefined };
    const picker = { ...events, ...shown, value: '', items: [], selectedItems };
    editor.window.createQuickPick = () => picker;
    const library = { search: () => new Promise(() => undefined) };
    const chats = { list: () => Promise.resolve({ chats: [{ key: 'c', entry: { tool: 'codex' } }] }), library };
    let isOpen = true;
    const searched = searchChats({ chats, clock: harness.clock } as never, 'port').finally(() => (isOpen = false));
    await pass(1);
    for (const selectedItems of [[], [{ label: 'Filters: tool:' }]]) {
      picker.selectedItems = selectedItems;
      heard['onDidAccept']!();
      await pass(1);
      assert.equal(isOpen, true);
    }
    heard['onDidHide']!();
    assert.equal(await searched, false);
  });

  it('do not read chats about a file in Restricted Mode, and say so', async () => {
    editor.workspace.isTrusted = false;
    const library = { fileEffects: () => assert.fail('the chats are read') };
    const chats = { list: () => Promise.resolve({ chats: [] }), library };
    await chatsAboutFile({ chats } as never, new Uri('/w/a.ts'));
    assert.deepEqual(shownMessages, ['Chats from other tools aren’t read in Restricted Mode.']);
  });

  it('do not attach a chat’s key events to another session opened while the chat is being continued', async () => {
    const copy = { messages: [{ role: 'user', text: 'Hello.' }], compactions: [], lost: [] } as const;
    const journal = new ExternalChatJournal(externalChatSessionId('k', CHAT_ENTRY), CHAT_ENTRY, copy, fails);
    const other = { journal: { id: 'other' } };
    const gone = { append: () => Promise.resolve(), close: () => Promise.resolve() };
    const made = { journal: { id: 'made' }, import: (work: () => unknown) => ((sessions.current = other), work()) };
    const sessions = {
      current: { journal, state: journal.state } as object,
      list: () => Promise.resolve([]),
      create: () => Promise.resolve((sessions.current = made)),
      currentOrLatest: () => Promise.resolve(other),
      listChanged: () => undefined,
    };
    const app = {
      ...{ sessions, clock: harness.clock, store: { open: () => Promise.resolve(gone) } },
      chats: { library: { read: () => Promise.resolve(copy) } },
      panel: { open: () => undefined },
      attachments: { hold: () => assert.fail('the key events are held for another session') },
    };
    const row = { chat: { key: 'k', entry: CHAT_ENTRY }, dropped: [{ quote: 'Hello.' }] };
    assert.equal(await restoreDropped(app as never, row), false);
  });

  const openTwoFolders = () => {
    const folders = ['one', 'two'].map((name) => ({ uri: new Uri(path.join(folder, name)) }));
    for (const { uri } of folders) {
      mkdirSync(uri.path);
      writeFileSync(path.join(uri.path, 'AGENTS.md'), `Rules of ${path.basename(uri.path)}.`);
    }
    return (editor.workspace.workspaceFolders = folders);
  };

  it('send the instructions of the current workspace folders only', async () => {
    const folders = openTwoFolders();
    const rules = new ProjectRules({ get: () => true } as never, fails);
    await rules.load();
    assert.match(rules.text, /Rules of one\.[^]*Rules of two\./);
    const changed = new Promise<void>((resolve) => void rules.onDidChange(resolve));
    editor.workspace.workspaceFolders = folders.slice(1);
    foldersChanged.fire();
    await changed;
    assert.doesNotMatch(rules.text, /Rules of one/);
    assert.deepEqual(watched, [folders[1]!.uri.path]);
    rules.dispose();
  });

  it('open a session without the instructions in a folder whose real path cannot be resolved', async () => {
    const link = path.join(folder, 'link');
    symlinkSync('link', link);
    openTwoFolders();
    editor.workspace.getWorkspaceFolder = (file) =>
      file.path.includes('one') ? { uri: new Uri(link) } : workspace.getWorkspaceFolder(file);
    const warnings: string[] = [];
    const rules = new ProjectRules({ get: () => true } as never, (warning) => warnings.push(warning));
    await rules.load();
    assert.match(rules.text, /Rules of two\./);
    assert.doesNotMatch(rules.text, /Rules of one/);
    assert.match(warnings.join('\n'), /^\S+one\/AGENTS\.md could not be read and is not sent: .*ELOOP.*$/);
    rules.dispose();
  });

  it('send a project’s latest instructions, even if an earlier version takes longer to read', async () => {
    editor.workspace.workspaceFolders = [{ uri: new Uri(folder) }];
    const file = path.join(folder, 'AGENTS.md');
    writeFileSync(file, 'Version 0.');
    const rules = new ProjectRules({ get: () => true } as never, fails);
    await rules.load();
    const slow = Promise.withResolvers<Buffer>();
    const reads = [() => slow.promise, () => Promise.resolve(Buffer.from('Version 2.'))];
    fs.readFile = () => reads.shift()!();
    let changes = 0;
    const changed = new Promise<void>((resolve) => rules.onDidChange(() => ++changes === 2 && resolve()));
    foldersChanged.fire();
    foldersChanged.fire();
    await pass(20);
    slow.resolve(Buffer.from('Version 1.'));
    await changed;
    assert.match(rules.text, /Version 2/);
    rules.dispose();
  });

  /** A document panel. Its page posts messages with `post`, and `shown` lists the texts that the page shows. */
  function documentPanel(files: object, more: object = {}) {
    const page = { post: fails as (message: object) => void, shown: [] as unknown[] };
    const webview = {
      asWebviewUri: String,
      onDidReceiveMessage: (listener: typeof page.post) => (page.post = listener),
      postMessage: ({ text }: { readonly text: string }) => page.shown.push(text),
    };
    const panel = { webview, visible: true, reveal: () => undefined, onDidDispose: () => nothing };
    editor.window.createWebviewPanel = () => panel;
    const reader = new DocumentPanel({ files, extensionUri: new Uri('/extension'), ...more } as never);
    /** Opens a document, and a link in it if there is one. */
    const open = async (document: string, href?: string): Promise<void> => {
      await reader.open(Uri.from({ path: document }) as never);
      page.post({ type: 'ready' });
      if (href !== undefined) page.post({ type: 'request', id: 1, body: { type: 'openLink', href } });
      await pass(1);
    };
    return { reader, page, open };
  }

  it('report why a session document cannot be shown instead of opening an empty page', async () => {
    const { open } = documentPanel({ document: () => Promise.reject(new Error('The rule makes no sense.')) });
    editor.window.createWebviewPanel = () => assert.fail('an empty page is shown');
    await assert.rejects(open('/session/next/now/Next.md'), /The rule makes no sense/);
  });

  /** The preview document for a draft. */
  async function nextRequest(
    conversation: Awaited<ReturnType<Harness['converse']>>,
    draft: { text: string; attachments: never[]; images: never[] },
  ): Promise<string> {
    const files = new SessionFiles({
      conversationOf: () => Promise.resolve(conversation),
      drafts: { get: () => draft.text },
      attachments: { contents: () => draft },
      availableModel: () => Promise.resolve(undefined),
      clock: { now: () => 0 },
      describe: fails,
    });
    const uri = Uri.from({ path: `/${conversation.journal.id}/next/now/Next Request.md` }) as never;
    return (await files.document(uri)).text;
  }

  it('include newly typed text when the next request is shown again', async () => {
    const conversation = await harness.filled(4);
    const draft = { text: '', attachments: [], images: [] };
    assert.match(await nextRequest(conversation, draft), /The input is empty/);
    draft.text = 'And the host?';
    assert.match(await nextRequest(conversation, draft), /And the host\?/);
  });

  it('show the next request with its task and recalled excerpts, under headings whose tokens add up to the total', async () => {
    harness.set({ recallShare: 0.1 });
    const conversation = await harness.converse();
    await conversation.send('The gateway of the harbour listens on channel 42.');
    await fill(conversation, 60);
    assert.equal((await conversation.compressNow()).kind, 'committed');
    await conversation.setTask('Tune the queues', [{ text: 'queue 28', status: 'in_progress' }]);
    const draft = { text: 'On which channel does the gateway of the harbour listen?', attachments: [], images: [] };
    // Like for a model whose tokenizer produces 50% more tokens, and whose provider adds some to each request.
    conversation.meter.providerTokens = (counted) => Math.round(counted * 1.5) + 40;
    const text = await nextRequest(conversation, draft);
    assert.match(text, /<recalled_excerpts-[^]*channel 42[^]*<current_task-[^]*Tune the queues/);
    const numbersIn = (pattern: RegExp) =>
      [...text.matchAll(pattern)].map(([, number = '']) => Number(number.replaceAll(',', '')));
    const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
    const [used = 0, ...parts] = numbersIn(/^\| .* \| \**([\d,]+)\** \|$/gm).toReversed();
    assert.equal(sumOf(parts), used);
    const headed = numbersIn(/^##.* · ([\d,]+) tokens$/gm);
    assert.ok(Math.abs(sumOf(headed) - used) <= headed.length, `${sumOf(headed)} under the headings, ${used} in all`);
    const titles = [...text.matchAll(/^## (.*) · [\d,]+ tokens$/gm)].map(([, title = '']) => title);
    for (const title of titles.filter((one, at) => titles.indexOf(one) === at && titles.lastIndexOf(one) === at))
      assert.deepEqual(
        numbersIn(new RegExp(`^## ${title} · ([\\d,]+) tokens$`, 'gm')),
        numbersIn(new RegExp(`^\\| ${title} \\| ([\\d,]+) \\|$`, 'gm')),
        title,
      );
    const { budget } = gaugeView(conversation);
    assert.ok(text.includes(`Total (budget: ${budget.toLocaleString('en')})`));
    // The gauge has no draft.
    const empty = await nextRequest(conversation, { text: '', attachments: [], images: [] });
    assert.ok(empty.includes(`**${gaugeView(conversation).used.toLocaleString('en')}** |`));
  });

  it('scan a long line of an exported session once, not once per chunk', async () => {
    const line = (id: string, content: string): string =>
      `${JSON.stringify({ role: 'user', content, at: 1, id, parent: null })}\n`;
    const text = line('a', 'Short.') + line('b', 'long '.repeat(800_000)) + line('c', 'Short.');
    const file = path.join(folder, 'long.jsonl');
    writeFileSync(file, text);
    const split = Object.getOwnPropertyDescriptor(String.prototype, 'split')!;
    let gone = 0;
    Object.defineProperty(String.prototype, 'split', {
      ...split,
      value(this: string, ...how: unknown[]): unknown {
        gone += this.length;
        return Reflect.apply(split.value as () => unknown, this, how);
      },
    });
    const ids: string[] = [];
    try {
      for await (const { messages } of exportedBatches(new Uri(file) as never))
        ids.push(...messages.map(({ id }) => id));
    } finally {
      Object.defineProperty(String.prototype, 'split', split);
    }
    assert.deepEqual(ids, ['a', 'b', 'c']);
    assert.ok(gone < 2 * text.length, `${gone} of ${text.length}`);
  });

  it('show a document’s latest version even when an earlier one finishes later', async () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const versions = [
        Promise.withResolvers<string>(),
        Promise.withResolvers<string>(),
        Promise.withResolvers<string>(),
      ];
      let asked = 0;
      const document = async () => ({ text: await versions[asked++]!.promise, links: [] });
      const { reader, page, open } = documentPanel({ document });
      versions[0]!.resolve('version 0');
      await open('/session/compressions/all/History.md');
      const refreshed = [reader.refresh(), reader.refresh()];
      for (const one of order) {
        versions[one]!.resolve(`version ${one}`);
        await pass(1);
      }
      await Promise.all(refreshed);
      assert.equal(page.shown.at(-1), 'version 2', order.join());
    }
  });

  it('open the next request as JSON in a text editor, not as Markdown', async () => {
    const target = Uri.from({ path: '/session/request/now/Request.json' });
    const made: string[] = [];
    const document = ({ path: file }: Uri) => {
      made.push(file);
      return Promise.resolve({ text: 'As JSON', links: [{ line: 0, start: 0, end: 7, target }] });
    };
    const texts: unknown[] = [];
    editor.workspace.openTextDocument = (uri) => Promise.resolve(texts.push(uri));
    const { open } = documentPanel({ document });
    await open('/session/next/now/Next Request.md', 'threadkeeper:message/link-0');
    assert.deepEqual([made, texts], [['/session/next/now/Next Request.md'], [target]]);
  });

  it('say why a link in a document cannot be followed', async () => {
    const document = () => Promise.resolve({ text: 'See [it](https://a.example).', links: [] });
    const openDocumentLink = () => Promise.reject(new Error('The address is invalid.'));
    const describe = (error: unknown) => ({ text: String(error) });
    const reported: string[] = [];
    editor.window.showErrorMessage = (text) => Promise.resolve(void reported.push(text));
    const { open } = documentPanel({ document }, { openDocumentLink, describe });
    await open('/session/next/now/Next Request.md', 'https://a.example');
    assert.deepEqual(reported, ['Error: The address is invalid.']);
  });
});
