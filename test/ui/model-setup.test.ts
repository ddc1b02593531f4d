import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { LoopbackServer } from '../support/loopback-server.ts';
import { WireServer } from '../support/wire-server.ts';
import { checkThemesAndWidths } from './axe.ts';
import { ChatPage, startModelServer } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';
import { localPorts, withUserSettings } from './editor.ts';

const QUESTION = 'Which port does the service use?';
const ANSWER = 'The service listens on port 4600.';

/** A company proxy, which can be down. */
class Proxy extends LoopbackServer {
  readonly hosts = new Set<string>();
  isDown = false;

  static start(target: WireServer): Promise<Proxy> {
    const proxy = new Proxy(Number(new URL(target.url).port));
    return proxy.listen((_, response) => response.writeHead(501).end());
  }

  private constructor(port: number) {
    super();
    this.http.on('connect', ({ url = '' }, socket, head: Buffer) => {
      this.hosts.add(url);
      if (this.isDown) {
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
        return;
      }
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
  }
}

describe('first minutes of a new user', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await startModelServer();
  });

  beforeEach(() => server.reset().answer(ANSWER));

  afterEach(() => chat.workbench.close());

  const offer = (name: string | RegExp) => chat.page.locator('.model-setup button', { hasText: name });
  const setup = () => chat.page.getByRole('region', { name: 'Select a model to get a response' });

  async function typeKey(key: string): Promise<void> {
    const { page } = chat.workbench;
    await chat.workbench.listTitle(/^API Key for/).waitFor();
    await chat.workbench.quickInput().fill(key);
    await page.keyboard.press('Enter');
  }

  /** Accepts only one key. */
  function lockBy(key: string): void {
    server.disturbBy(() => {
      const { headers } = server.lastRequest!;
      const isRight = headers['authorization'] === `Bearer ${key}` || headers['x-api-key'] === key;
      return isRight ? undefined : { kind: 'refuse', status: 401, refusal: { type: 'authentication_error' } };
    });
  }

  it('without a model: is offered setup with the first reply, declines it, and gets search results', async () => {
    chat = await ChatPage.open('user-none');
    await chat.send('Is anybody there?', 'No model is configured');
    await setup().waitFor();
    await checkThemesAndWidths(chat, 'setup');
    await chat.newSession();
    await chat.send('The service uses port 4600.', 'No model is configured');
    await setup().waitFor();
    assert.equal(await offer(/Ollama/).count(), 0, 'nothing answers there');
    await offer(/OpenAI.*Needs an API key/).click();
    await chat.workbench.listTitle('API Key for OpenAI').waitFor();
    await chat.workbench.page.keyboard.press('Escape');
    const keys = new Keyboard(chat);
    await keys.toComposer();
    await keys.tabTo(offer('Continue Without a Model'), 'Shift+Tab');
    await keys.press('Enter');
    await setup().waitFor({ state: 'detached' });
    await chat.send(QUESTION, /Found in this session[^]*port 4600/);
    assert.equal(await setup().count(), 0);
  });

  it('with Ollama started late: is offered it with a reply, selects it, and gets an answer', async () => {
    chat = await ChatPage.open('user-ollama');
    await chat.send(QUESTION, 'No model is configured');
    await setup().waitFor();
    assert.equal(await offer(/Ollama/).count(), 0);
    const [port] = await localPorts();
    const ollama = (await WireServer.start(port)).answer(ANSWER);
    try {
      await chat.send('And now?', 'No model is configured');
      await offer(/Ollama/).click();
      const { page } = chat.workbench;
      await chat.workbench.listTitle('Select Model for This Session').waitFor();
      await page.locator('.quick-input-list .monaco-list-row.focused').waitFor();
      await page.keyboard.press('Enter');
      await chat.message(ANSWER).waitFor();
      await setup().waitFor({ state: 'detached' });
      await chat.newSession();
      await chat.send('And in a new session?', ANSWER);
    } finally {
      await ollama.stop();
    }
  });

  it('with a mistyped OpenAI key: gets an answer after setting the right key, without asking again', async () => {
    lockBy('sk-right');
    chat = await ChatPage.open('user-openai', {
      'threadkeeper.chat.provider': 'openai',
      'threadkeeper.chat.baseUrl': `${server.url}/v1`,
    });
    await chat.submit(QUESTION);
    await chat.button('Set API Key…').click();
    await typeKey('sk-wrong');
    await chat
      .toast(/API key/)
      .filter({ hasText: /refused|isn’t valid|invalid|rejected/i })
      .waitFor();
    await chat.button('Set API Key…').click();
    await typeKey('sk-right');
    await chat.message(ANSWER).waitFor();
    assert.equal(await chat.message(QUESTION).count(), 1, 'asked once');
  });

  it('with Anthropic behind a proxy that is down: gets an answer by retrying with one button', async () => {
    const proxy = await Proxy.start(server);
    proxy.isDown = true;
    lockBy('sk-ant-right');
    await withUserSettings({ 'http.proxy': proxy.url }, async () => {
      chat = await ChatPage.open('user-anthropic', {
        'threadkeeper.chat.provider': 'anthropic',
        'threadkeeper.chat.baseUrl': 'http://anthropic.example.test',
      });
      await chat.submit(QUESTION);
      await chat.button('Set API Key…').click();
      await typeKey('sk-ant-right');
      await chat.button('Try Again').waitFor();
      proxy.isDown = false;
      await chat.button('Try Again').click();
      await chat.message(ANSWER).waitFor();
      assert.deepEqual([...proxy.hosts], ['anthropic.example.test:80']);
    });
    await proxy.stop();
  });

  it('with VS Code’s models, one of them over its quota: gets an answer from another one', async () => {
    chat = await ChatPage.open('user-editor', { 'testModels.offered': true });
    const choose = (model: string) => chat.workbench.chooseListed(/^Select Model for This Session$/, model);
    await chat.send(QUESTION, 'No model is configured');
    await offer('VS Code language models').click();
    await choose('Large Test Model');
    await chat.toast('quota or credit is used up').waitFor();
    await chat.button('Select Model…').click();
    await choose('Small Test Model');
    await chat.message('An answer of the editor’s own model.').waitFor();
  });
});
