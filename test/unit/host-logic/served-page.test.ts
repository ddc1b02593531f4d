import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { sessionId } from '../../../src/core/model/ids.ts';
import type * as ChatPanelModule from '../../../src/host/chat/chat-panel.ts';
import type * as ServedPageModule from '../../../src/host/chat/served-page.ts';
import type { PageServer } from '../../../src/host/chat/served-page.ts';
import { defaultSettings, hostIn, nothing, workspaceWith } from '../../support/fake-editor.ts';

const settings = defaultSettings();
const received: Record<string, unknown>[] = [];
let post: (message: unknown) => void = () => undefined;
const webview = {
  asWebviewUri: String,
  onDidReceiveMessage: (listener: typeof post) => ((post = listener), nothing),
  postMessage: (message: Record<string, unknown>) => received.push(message),
};

class TabInputWebview {
  readonly viewType = 'mainThreadWebview-threadkeeper.chat';
}
const tabGroups = { all: [] as object[], closed: [] as readonly object[] };
const shownAt: unknown[] = [];
let tab: Record<string, unknown> = {};
const contextKeys = new Map<string, unknown>();
const env: Record<string, unknown> = { language: 'en' };
const load = hostIn({
  commands: {
    executeCommand: (command: string, key: string, value: unknown) => {
      if (command === 'setContext') contextKeys.set(key, value);
      return Promise.resolve();
    },
  },
  TabInputWebview,
  ViewColumn: { Active: -1, Beside: -2 },
  window: {
    tabGroups: Object.assign(tabGroups, {
      close: (tabs: readonly object[]) => ((tabGroups.closed = tabs), Promise.resolve(true)),
    }),
    createWebviewPanel: (_type: string, _title: string, options: unknown) => {
      shownAt.push(options);
      const closed: (() => void)[] = [];
      const dispose = (): void => closed.forEach((then) => then());
      const onDidDispose = (then: () => void) => (closed.push(then), nothing);
      return (tab = { webview, visible: true, onDidDispose, dispose, reveal: () => undefined });
    },
  },
  workspace: workspaceWith(settings),
  env,
  UIKind: { Desktop: 1, Web: 2 },
  Uri: { joinPath: (...parts: readonly unknown[]) => parts.join('/') },
});
const { ServedPage } = await load<typeof ServedPageModule>('chat/served-page.ts');
const { ChatPanel } = await load<typeof ChatPanelModule>('chat/chat-panel.ts');

/** A connection to a session with this initial message, once `ready` is settled. */
const linkTo = (init: object, ready: Promise<unknown> = Promise.resolve()) => ({
  init: () => ready.then(() => ({ type: 'init', ...init })),
  onMessage: () => nothing,
  sendGauge: () => undefined,
});

describe('a page and its server', () => {
  /**
   * Serves a page with the sessions of `connection`. The page posts messages with `post`, and received ones are added
   * to `received`.
   */
  function serve(connection: PageServer['connection']) {
    received.length = 0;
    const describe = () => ({ reason: 'failed', text: 'See the log.' });
    const app = { extensionUri: '', connection, describe, log: { warn: () => undefined } };
    const host = { initialized: () => undefined };
    const container = { webview, visible: false, onDidDispose: () => nothing };
    const page = new ServedPage(container as never, app as never, host as never);
    return { page, received, post: (message: unknown) => post(message) };
  }

  it('refuse a request that violates the protocol, such as one with an overlong text', async () => {
    const { page, received, post } = serve(() => Promise.reject(new Error('none')));
    post({ type: 'ready' });
    await soon();
    received.length = 0;
    post({ type: 'request', id: 7, body: { type: 'completeContext', query: 'x'.repeat(1_001) } });
    await soon();
    assert.deepEqual(received, [{ type: 'refusal', id: 7, fault: { reason: 'invalid', text: 'See the log.' } }]);
    page.dispose();
  });

  it('keep showing the current session when a session that the user left cannot be opened', async () => {
    const first = Promise.withResolvers<never>();
    const links = [first.promise, Promise.resolve(linkTo({}) as never)];
    const { page, received, post } = serve(() => links.shift()!);
    post({ type: 'ready' });
    await page.showCurrentSession();
    first.reject(new Error('damaged'));
    await soon();
    const types = received.map(({ type }) => type);
    assert.deepEqual(types, ['init']);
    page.dispose();
  });
});

describe('a visible page', () => {
  const connection = { isUp: true, isPageHung: false };
  const sent: (() => void)[] = [];
  const drafts: string[] = [];
  let hung = 0;
  let page: { dispose(): void };

  /** Like in VS Code, messages wait while a remote window has no connection. */
  const send = (deliver: () => void): void => {
    if (connection.isUp) deliver();
    else sent.push(deliver);
  };
  const reconnect = (): void => {
    connection.isUp = true;
    for (const deliver of sent.splice(0)) deliver();
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      mock.timers.tick(1_000);
      await soon();
    }
  };

  beforeEach(async () => {
    Object.assign(connection, { isUp: true, isPageHung: false });
    Object.assign(env, { remoteName: 'ssh-remote', uiKind: 1 });
    hung = 0;
    const postMessage = ({ type }: { readonly type: string }): Promise<boolean> =>
      new Promise((resolve) =>
        send(() => {
          resolve(true);
          if (type === 'ping' && !connection.isPageHung) setImmediate(() => send(() => post({ type: 'pong' })));
        }),
      );
    const app = {
      extensionUri: '',
      connection: () => Promise.resolve(linkTo({ session: 's', title: '' })),
      drafts: { set: (_session: string, text: string) => drafts.push(text) },
      log: { warn: () => undefined },
    };
    mock.timers.enable({ apis: ['setInterval'] });
    const host = { initialized: () => undefined, hung: () => hung++, rendersOneByOne: false };
    const container = { webview: { ...webview, postMessage }, visible: true, onDidDispose: () => nothing };
    page = new ServedPage(container as never, app as never, host as never);
    post({ type: 'ready' });
    await soon();
  });
  afterEach(() => {
    page.dispose();
    mock.timers.reset();
  });

  for (const [where, isDelivered, kind] of [
    ['in a remote window', true, { remoteName: 'ssh-remote' }],
    ['on the thread of a local window', false, { remoteName: undefined }],
    ['on the thread of a window in a browser', false, { remoteName: 'codespaces', uiKind: 2 }],
  ] as const)
    it(`is replaced after it has stopped responding for ten seconds: ${where}`, async () => {
      Object.assign(env, kind);
      await pass(60);
      Object.assign(connection, { isUp: isDelivered, isPageHung: true });
      await pass(9);
      assert.equal(hung, 0);
      await pass(4);
      assert.equal(hung, 1);
    });

  it('is kept with its draft when a remote window has no connection for a minute', async () => {
    await pass(60);
    connection.isUp = false;
    send(() => post({ type: 'setDraft', session: 's', text: 'Typed meanwhile' }));
    await pass(60);
    connection.isPageHung = true;
    reconnect();
    await pass(3);
    assert.equal(hung, 0);
    assert.deepEqual(drafts, ['Typed meanwhile']);
  });
});

describe('the chat panel', () => {
  let panel: ChatPanelModule.ChatPanel;
  afterEach(() => {
    panel.dispose();
    mock.timers.reset();
  });

  it('is told which message to reveal only after it has received that message’s session', async () => {
    received.length = 0;
    const [first, second] = [sessionId('first'), sessionId('second')];
    const found = Promise.withResolvers<undefined>();
    const links = [linkTo({ session: first, title: '' }), linkTo({ session: second, title: '' }, found.promise)];
    panel = new ChatPanel({ extensionUri: '', connection: () => Promise.resolve(links.shift()) } as never);
    panel.open();
    post({ type: 'ready' });
    await soon();
    const changed = panel.showCurrentSession();
    panel.reveal(second, 3);
    found.resolve(undefined);
    await changed;
    panel.reveal(second, 4);
    const messages = received
      .filter(({ type }) => type !== 'focus')
      .map(({ type, session, position }) => [type, session, position]);
    assert.deepEqual(messages, [
      ['init', first, undefined],
      ['init', second, undefined],
      ['reveal', second, 3],
      ['reveal', second, 4],
    ]);
  });

  it('replaces a visible tab that is not restored after the extension host has crashed, without taking the focus', async () => {
    const orphan = { isActive: true, input: new TabInputWebview(), group: { viewColumn: 2 } };
    tabGroups.all = [{ tabs: [orphan] }];
    shownAt.length = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    panel = new ChatPanel({ extensionUri: '' } as never);
    mock.timers.tick(60_000);
    tabGroups.all = [];
    assert.deepEqual(shownAt, [{ viewColumn: 2, preserveFocus: true }]);
    assert.deepEqual(tabGroups.closed, [orphan]);
    // Like a tab that VS Code restores while it is replaced.
    let isClosed = false;
    await panel.deserializeWebviewPanel({ dispose: () => (isClosed = true) } as never);
    assert.ok(isClosed);
  });

  it('runs the action of a message that is shown for long, because the pointer is on it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    panel = new ChatPanel({ extensionUri: '' } as never);
    panel.open();
    const accepted = panel.showMessageWithAction('Session deleted.', 'Undo');
    mock.timers.tick(60_000);
    post({ type: 'toastAction', id: 1 });
    assert.equal(await accepted, true);
  });

  it('shortens a long title of a session in its tab, at a word', () => {
    panel = new ChatPanel({ extensionUri: '' } as never);
    panel.open();
    panel.setTitle('Which port does the gateway use in the staging cluster?');
    assert.equal(tab['title'], 'Threadkeeper: Which port does the gateway use in the…');
    panel.setTitle('Which port?');
    assert.equal(tab['title'], 'Threadkeeper: Which port?');
  });

  it('gives up the focus when the Side Bar is hidden', () => {
    panel = new ChatPanel({ extensionUri: '' } as never);
    let visibilityChanged: () => void = () => undefined;
    const onDidChangeVisibility = (then: () => void) => ((visibilityChanged = then), nothing);
    const view = { webview, visible: true, onDidChangeVisibility, onDidDispose: () => nothing };
    panel.resolveWebviewView(view as never);
    post({ type: 'focusChanged', focused: true });
    assert.equal(contextKeys.get('threadkeeper.chatViewFocused'), true);
    view.visible = false;
    visibilityChanged();
    assert.equal(contextKeys.get('threadkeeper.chatViewFocused'), false);
  });
});
