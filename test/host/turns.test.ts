import assert from 'node:assert/strict';
import { WireServer } from '../support/wire-server.ts';
import { product, rejection, transcript, withSettings } from './product.ts';

const PROVIDERS = [
  { provider: 'openai', model: 'gpt-4o-mini', path: '/v1' },
  { provider: 'anthropic', model: 'claude-haiku-4-5', path: '' },
] as const;

describe('a turn in the editor', () => {
  let server: WireServer;

  before(async () => {
    server = await WireServer.start();
  });

  after(() => server.stop());

  it('is answered by the local provider, with no key and no network', async () => {
    const app = await product();
    const conversation = await app.sessions.create();
    await conversation.send('We settled on port 8443 for the staging gateway.');
    await conversation.send('Which port did we settle on?');
    const texts = transcript(conversation);
    assert.equal(texts.length, 4);
    assert.match(texts[3] ?? '', /No model is configured/);
    assert.match(texts[3] ?? '', /port 8443/);
  });

  for (const { provider, model, path } of PROVIDERS) {
    it(`goes through ${provider}, streamed, with the usage it reports`, async () => {
      const app = await product();
      server.reset().answer({ text: 'Use a bounded queue.', usage: { input_tokens: 21, output_tokens: 6 } });
      await app.keys.set(provider, 'sk-test-key');
      const settings = { 'chat.provider': provider, 'chat.model': model, 'chat.baseUrl': `${server.url}${path}` };
      await withSettings(settings, async () => {
        const conversation = await app.sessions.create();
        const pieces: string[] = [];
        const listening = conversation.onUpdate((update) => {
          if (update.type === 'reply_text') pieces.push(update.text);
        });
        await conversation.send('How do I limit memory?');
        listening.dispose();
        assert.ok(pieces.length > 1, 'the reply came in pieces');
        assert.equal(pieces.join(''), 'Use a bounded queue.');
        assert.deepEqual(transcript(conversation), ['user: How do I limit memory?', 'assistant: Use a bounded queue.']);
        const reply = conversation.state.messages.get(conversation.state.head!);
        assert.ok((reply?.usage?.input ?? 0) > 0 && (reply?.usage?.output ?? 0) > 0, 'usage is kept with the reply');
        assert.equal(conversation.state.counters.chatTokens, (reply?.usage?.input ?? 0) + (reply?.usage?.output ?? 0));
      });
      await app.keys.clear(provider);
    });
  }

  it('says in one sentence that a key is missing, and keeps the message', async () => {
    const app = await product();
    await withSettings({ 'chat.provider': 'openai' }, async () => {
      const conversation = await app.sessions.create();
      const { text, action } = app.describe(await rejection(conversation.send('Hello?')));
      assert.equal(text, 'No API key is set for this provider: set one, or choose another model.');
      assert.equal(action?.command, 'setKey');
      assert.deepEqual(transcript(conversation), ['user: Hello?']);
    });
  });

  it('says in one sentence that the server refuses the key, and goes on when it is right', async () => {
    const app = await product();
    server.reset().answer('Hello.').refuseNext(401);
    await app.keys.set('openai', 'sk-wrong');
    const settings = { 'chat.provider': 'openai', 'chat.model': 'gpt-4o-mini', 'chat.baseUrl': `${server.url}/v1` };
    await withSettings(settings, async () => {
      const conversation = await app.sessions.create();
      const { text, action } = app.describe(await rejection(conversation.send('Anyone there?')));
      assert.equal(text, 'The provider refused the API key: set a valid one.');
      assert.equal(action?.command, 'setKey');
      await conversation.retry(conversation.state.head!);
      assert.deepEqual(transcript(conversation), ['user: Anyone there?', 'assistant: Hello.']);
    });
    await app.keys.clear('openai');
  });

  it('never writes a key to the journal', async () => {
    const app = await product();
    const { readdir, readFile } = await import('node:fs/promises');
    const path = await import('node:path');
    server.reset().answer('Fine.');
    await app.keys.set('openai', 'sk-planted-key-4711');
    const settings = { 'chat.provider': 'openai', 'chat.model': 'gpt-4o-mini', 'chat.baseUrl': `${server.url}/v1` };
    await withSettings(settings, async () => {
      const conversation = await app.sessions.create();
      await conversation.send('Is it well?');
    });
    assert.equal(server.lastRequest?.headers['authorization'], 'Bearer sk-planted-key-4711');
    await app.keys.clear('openai');
    const files = await readdir(app.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile())) {
      const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
      assert.ok(!text.includes('sk-planted-key-4711'), `${file.name} holds the key`);
    }
  });
});
