import assert from 'node:assert/strict';
import { StrictServer } from '../support/strict/strict-server.ts';
import { THOUGHT } from '../support/strict/streams.ts';
import { ChatPage, writeSettings } from './chat-page.ts';
import { eventually } from './eventually.ts';

/** A model whose context window is unknown, because its server only lists names. */
const UNKNOWN = 'phi-mini:1b';
const THINKING = 'deepseek-r1:8b';
/** About 900 tokens. */
const LONG = 'the queue waits for three hundred milliseconds and fails, '.repeat(90);

describe('chat with a model on a self-hosted server', () => {
  let silent: StrictServer;
  let server: StrictServer;
  let chat: ChatPage;

  const at = ({ url }: StrictServer, model: string) => ({
    'threadkeeper.chat.provider': 'compatible',
    'threadkeeper.chat.model': model,
    'threadkeeper.chat.baseUrl': `${url}/v1`,
  });

  before(async () => {
    silent = await StrictServer.start('openai');
    server = await StrictServer.start('vllm');
    chat = await ChatPage.open('thinking', at(silent, UNKNOWN));
  });
  afterEach(() => {
    server.options = {};
  });
  after(async () => {
    await chat.workbench.close();
    await silent.stop();
    await server.stop();
  });

  it('asks once for an unknown context window, and suggests 32,768 tokens', async () => {
    const { workbench } = chat;
    const notice = chat.toast(`The context window of ${UNKNOWN} is unknown. Assuming 32,768 tokens.`);
    // Before the reply has ended, because the page hides the notice after some seconds.
    await chat.submit('How large are you?');
    await notice.getByRole('button', { name: 'Set Context Window…' }).click();
    const input = workbench.quickInput();
    await input.waitFor();
    await eventually(async () => assert.equal(await input.inputValue(), '32768'));
    await input.fill('8192');
    await input.press('Enter');
    await notice.waitFor({ state: 'hidden' });
    await chat.message('They spoke of').waitFor();
    await chat.button('Send').waitFor();
    await chat.send('And now?', 'They spoke of');
    assert.equal(await notice.count(), 0);
  });

  it('shows that the model is thinking, and keeps its thinking out of the reply', async () => {
    await writeSettings(chat.folder, at(server, THINKING));
    await chat.button(/^deepseek-r1:8b/).waitFor();
    await chat.newSession();
    server.options = { eventMs: 700 };
    await chat.submit('Why is the queue empty?');
    await chat.workbench
      .webview()
      .getByText(/^Thinking… \d+ s$/)
      .waitFor();
    await chat.workbench.screenshot('thinking');
    server.options = {};
    await chat.message('They spoke of').waitFor();
    await chat.button('Send').waitFor();
    assert.equal(await chat.message(THOUGHT.slice(0, 20)).count(), 0);
  });

  it('offers to retry with a higher output limit after thinking has used the whole limit', async () => {
    const limits = (): number[] => server.exchanges.flatMap(({ body }) => Number(body['max_tokens'] ?? []));
    await chat.newSession();
    // More than the product reserves at first, and less than the model's maximum output.
    server.options = { think: 7_000 };
    await chat.submit('And why is it empty on Mondays?');
    const again = chat.button('Try Again with a Higher Limit');
    await again.waitFor();
    const first = Math.max(...limits());
    await again.click();
    await chat.message('They spoke of').waitFor();
    await chat.button('Send').waitFor();
    assert.ok(Math.max(...limits()) > first, `asked for ${limits().join(', ')} tokens`);
  });

  it('warns that the server read only part of the prompt, and then sends no more than it reads', async () => {
    await using ollama = await StrictServer.start('ollama', { maxNumCtx: 4_096, alwaysTruncates: true });
    await writeSettings(chat.folder, { ...at(ollama, 'llama3.1:8b'), 'threadkeeper.chat.contextWindow': 32_768 });
    await chat.button(/^llama3\.1:8b/).waitFor();
    await chat.newSession();
    // It's visible for some seconds after each of these.
    const told = chat.workbench.toast(/The server read only [\d,]+ of [\d,]+ tokens/).waitFor({ timeout: 0 });
    for (let n = 1; n <= 6; n++) await chat.send(`Log ${n}: ${LONG}`, 'They spoke of');
    await told;
    await chat.send('What did it wait for?', 'They spoke of');
    const { sent, reply } = ollama.answered.at(-1)!;
    assert.equal(reply.input, sent, 'the last request is read whole');
    assert.ok(sent > 1_000, `and it is ${sent} tokens of the 4,096`);
  });
});
