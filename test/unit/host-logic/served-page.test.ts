import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { deferred } from '../../../src/core/pace/deferred.ts';
import type * as ServedPageModule from '../../../src/host/chat/served-page.ts';
import type { PageServer } from '../../../src/host/chat/served-page.ts';
import { hostIn } from '../../support/fake-editor.ts';

const load = hostIn({
  l10n: { bundle: undefined },
  env: { language: 'en' },
  Uri: { joinPath: (...parts: readonly unknown[]) => parts.join('/') },
});

describe('a page and what serves it', () => {
  let ServedPage: typeof ServedPageModule.ServedPage;

  before(async () => {
    ({ ServedPage } = await load<typeof ServedPageModule>('chat/served-page.ts'));
  });

  /** Serves a page whose sessions `link` gives; what the page says goes through `say`, what it hears into `heard`. */
  function serve(link: PageServer['link']) {
    const heard: Record<string, unknown>[] = [];
    let say: (message: unknown) => void = () => undefined;
    const webview = {
      asWebviewUri: String,
      onDidReceiveMessage: (listener: typeof say) => ((say = listener), { dispose: () => undefined }),
      postMessage: (message: Record<string, unknown>) => heard.push(message),
    };
    const describe = () => ({ reason: 'failed', text: 'See the log.' });
    const app = { extensionUri: '', link, describe, log: { warn: () => undefined } };
    const host = { begun: () => undefined, isShown: () => false };
    const page = new ServedPage(webview as never, app as never, host as never);
    return { page, heard, say: (message: unknown) => say(message) };
  }

  it('answer a request that breaks the contract, such as a text too long to be taken', async () => {
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

  it('keep the session that is shown when one that was left cannot be opened', async () => {
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
