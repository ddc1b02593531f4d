import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { deferred } from '../../../src/core/pace/deferred.ts';
import { sessionId } from '../../../src/core/model/ids.ts';
import type * as ChatPanelModule from '../../../src/host/chat/chat-panel.ts';
import type * as ServedPageModule from '../../../src/host/chat/served-page.ts';
import type { PageServer } from '../../../src/host/chat/served-page.ts';
import { defaultSettings, hostIn, l10n } from '../../support/fake-editor.ts';

const settings = defaultSettings();
const nothing = { dispose: () => undefined };
const heard: Record<string, unknown>[] = [];
let say: (message: unknown) => void = () => undefined;
const webview = {
  asWebviewUri: String,
  onDidReceiveMessage: (listener: typeof say) => ((say = listener), nothing),
  postMessage: (message: Record<string, unknown>) => heard.push(message),
};

const load = hostIn({
  l10n: { ...l10n, bundle: undefined },
  commands: { executeCommand: () => Promise.resolve() },
  ViewColumn: { Active: -1, Beside: -2 },
  window: {
    tabGroups: { all: [], close: () => Promise.resolve(true) },
    createWebviewPanel: () => {
      const closed: (() => void)[] = [];
      const dispose = (): void => closed.forEach((then) => then());
      const onDidDispose = (then: () => void) => (closed.push(then), nothing);
      return { webview, visible: true, onDidDispose, dispose, reveal: () => undefined };
    },
  },
  workspace: { getConfiguration: () => ({ get: (section: string) => settings[section] }) },
  env: { language: 'en' },
  Uri: { joinPath: (...parts: readonly unknown[]) => parts.join('/') },
});

describe('a page and its server', () => {
  let ServedPage: typeof ServedPageModule.ServedPage;

  before(async () => {
    ({ ServedPage } = await load<typeof ServedPageModule>('chat/served-page.ts'));
  });

  /**
   * Serves a page with the sessions of `link`. The page posts messages with `say`, and received ones are added to
   * `heard`.
   */
  function serve(link: PageServer['link']) {
    heard.length = 0;
    const describe = () => ({ reason: 'failed', text: 'See the log.' });
    const app = { extensionUri: '', link, describe, log: { warn: () => undefined } };
    const host = { begun: () => undefined, isShown: () => false };
    const page = new ServedPage(webview as never, app as never, host as never);
    return { page, heard, say: (message: unknown) => say(message) };
  }

  it('refuse a request that violates the protocol, such as one with an overlong text', async () => {
    const { page, heard, say } = serve(() => Promise.reject(new Error('none')));
    say({ type: 'ready' });
    await soon();
    heard.length = 0;
    say({ type: 'request', id: 7, body: { type: 'completeContext', query: 'x'.repeat(1_001) } });
    await soon();
    assert.deepEqual(heard, [
      { type: 'refusal', id: 7, ok: false, fault: { reason: 'invalid', text: 'See the log.' } },
    ]);
    page.dispose();
  });

  it('keep showing the current session when a session that the user left cannot be opened', async () => {
    const first = deferred<never>();
    const link = {
      init: () => Promise.resolve({ type: 'init' }),
      onMessage: () => undefined,
      sendGauge: () => undefined,
    };
    const links = [first.promise, Promise.resolve(link as never)];
    const { page, heard, say } = serve(() => links.shift()!);
    say({ type: 'ready' });
    await page.changed();
    first.reject(new Error('damaged'));
    await soon();
    assert.deepEqual(
      heard.map(({ type }) => type),
      ['init'],
    );
    page.dispose();
  });
});

describe('the chat panel', () => {
  it('is told which message to reveal only after it has received that message’s session', async () => {
    const { ChatPanel } = await load<typeof ChatPanelModule>('chat/chat-panel.ts');
    heard.length = 0;
    const [first, second] = [sessionId('first'), sessionId('second')];
    const found = deferred<undefined>();
    const linkTo = (session: string, wait: Promise<unknown> = Promise.resolve()) => ({
      init: () => wait.then(() => ({ type: 'init', session, title: session })),
      onMessage: () => nothing,
      sendGauge: () => undefined,
    });
    const links = [linkTo(first), linkTo(second, found.promise)];
    const app = { extensionUri: '', link: () => Promise.resolve(links.shift()), log: { warn: () => undefined } };
    const panel = new ChatPanel(app as never);
    panel.open();
    say({ type: 'ready' });
    await soon();
    const changed = panel.changed();
    panel.reveal(second, 3);
    found.resolve(undefined);
    await changed;
    panel.reveal(second, 4);
    assert.deepEqual(
      heard.filter(({ type }) => type !== 'focus').map(({ type, session, position }) => [type, session, position]),
      [
        ['init', first, undefined],
        ['init', second, undefined],
        ['reveal', second, 3],
        ['reveal', second, 4],
      ],
    );
    panel.dispose();
  });
});
