import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { eventually } from './eventually.ts';

describe('conversation in the chat', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await startModelServer();
    server.answer({ text: 'The first reply.', usage: { input_tokens: 321, output_tokens: 45 } });
    chat = await ChatPage.open('turns', chatServerSettings(server));
  });

  afterEach(() => chat.stopReply());

  const texts = (): Promise<string[]> => chat.messages().locator('.message-body').allInnerTexts();

  it('sends on Enter, breaks the line on Shift+Enter, and shows the reply’s model, tokens and time', async () => {
    await chat.composer().fill('First line');
    await chat.composer().press('Shift+Enter');
    await chat.composer().pressSequentially('second line');
    await chat.composer().press('Enter');
    const reply = chat.message('The first reply.');
    await reply.locator('.usage').waitFor();
    assert.equal(server.lastRequest?.body['model'], 'test-model');
    await chat.waitForDraft('');
    assert.match((await texts())[0] ?? '', /^First line\s+second line$/);
    assert.match(await reply.locator('.model').innerText(), /test-model/);
    assert.match(await reply.locator('.usage').innerText(), /^321.*45/);
    const time = await reply.locator('time').getAttribute('datetime');
    assert.ok(Math.abs(Date.parse(time ?? '') - Date.now()) < 600_000, `${time} is now`);
  });

  it('lets the user scroll up slightly during a reply, and follows the reply again from the end', async () => {
    server.answer({ text: 'One more line.\n\n'.repeat(400), dripMs: 200 });
    await chat.submit('Count on.');
    await chat.message('One more line.').waitFor();
    const feed = chat.page.getByRole('feed');
    const grown = (from: number): Promise<void> =>
      eventually(async () => assert.ok((await feed.evaluate(({ scrollHeight }) => scrollHeight)) > from + 50));
    await grown(await feed.evaluate(({ clientHeight }) => clientHeight));
    const [top, height] = await feed.evaluate((list) => {
      list.scrollTop -= 10;
      return [list.scrollTop, list.scrollHeight] as const;
    });
    await grown(height);
    const now = await feed.evaluate(({ scrollTop }) => scrollTop);
    assert.ok(Math.abs(now - top) < 1, `${top} px became ${now}`);
    await chat.button('Jump to Latest').click();
    const followed = await feed.evaluate(({ scrollHeight }) => scrollHeight);
    await grown(followed);
    // Until the next frame, new lines are below the view.
    await eventually(async () => {
      const below = await feed.evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop);
      assert.ok(below < 50, `${below} px are below`);
    });
    await chat.button('Stop Response').click();
    const stopped = chat.message('One more line.');
    await stopped.getByText('Stopped').waitFor();
    assert.match(await stopped.locator('.usage').innerText(), /^~[\d,]+ in · \d+ out$/);
  });

  it('renders a table as a table, and a task list with its checkboxes', async () => {
    await chat.show();
    server.answer(
      '| part | lines |\n| --- | --: |\n| parser | 120 |\n| printer | 80 |\n\n- [x] Write it\n- [ ] Test it\n',
    );
    await chat.send('How far is it?', 'printer');
    const reply = chat.message('printer').last();
    assert.deepEqual(await reply.getByRole('columnheader').allInnerTexts(), ['part', 'lines']);
    assert.deepEqual(await reply.getByRole('cell').allInnerTexts(), ['parser', '120', 'printer', '80']);
    const steps = reply.getByRole('listitem');
    const written = (await steps.allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(written, ['Write it', 'Test it']);
    await steps.filter({ hasText: 'Write it' }).getByRole('img', { name: 'done', exact: true }).waitFor();
    await steps.filter({ hasText: 'Test it' }).getByRole('img', { name: 'not done', exact: true }).waitFor();
  });

  it('links only files that exist, and highlights the lines of a diff in different colors', async () => {
    await chat.show();
    const diff = ['```diff', '-export const port = 80;', '+export const port = 8443;', '```'].join('\n');
    server.answer(`Not in \`src/nowhere.ts\`, but in \`src/main.ts:1\` or \`src/config.ts:2\`:\n\n${diff}`);
    await chat.send('Where exactly?', 'Not in');
    const reply = chat.message('Not in').last();
    await reply.getByRole('link', { name: 'src/config.ts:2' }).waitFor();
    assert.equal(await reply.getByRole('link', { name: 'src/nowhere.ts' }).count(), 0);
    const colour = (kind: string): Promise<string> =>
      reply.locator(`.hljs-${kind}`).evaluate((element) => {
        const { color, backgroundColor } = getComputedStyle(element);
        return `${color} on ${backgroundColor}`;
      });
    assert.notEqual(await colour('addition'), await colour('deletion'));
    await chat.workbench.screenshot('diff');
  });
});
