import assert from 'node:assert/strict';
import { WireServer } from '../support/wire-server.ts';
import { answeredBy, ChatPage, SLOW, type Scrolled } from './chat-page.ts';
import { eventually } from './eventually.ts';

const CODE = 'Try this:\n\n```ts\nexport const port = 8443;\n```\n\nIt belongs into `src/config.ts:3`.';

describe('a conversation in the chat', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await WireServer.start();
    server.answer({ text: 'The first reply.', usage: { input_tokens: 321, output_tokens: 45 } });
    chat = await ChatPage.open('turns', answeredBy(server));
  });

  after(async () => {
    await chat.workbench.close();
    await server.stop();
  });

  const texts = (): Promise<string[]> => chat.messages().locator('.message-body').allInnerTexts();

  it('sends by Enter, breaks the line by Shift and Enter, and names model, tokens and time of the reply', async () => {
    await chat.composer().fill('First line');
    await chat.composer().press('Shift+Enter');
    await chat.composer().pressSequentially('second line');
    await chat.composer().press('Enter');
    const reply = chat.message('The first reply.');
    await reply.locator('.usage').waitFor();
    assert.equal(server.lastRequest?.body['model'], 'test-model');
    await chat.holds('');
    assert.match((await texts())[0] ?? '', /^First line\s+second line$/);
    assert.match(await reply.locator('.model').innerText(), /test-model/);
    assert.match(await reply.locator('.usage').innerText(), /^321.*45/);
    const time = await reply.locator('time').getAttribute('datetime');
    assert.ok(Math.abs(Date.parse(time ?? '') - Date.now()) < 600_000, `${time} is now`);
  });

  it('stops a reply, keeps what has come, and goes on from there', async () => {
    server.answer(SLOW);
    await chat.write('Count.');
    await chat.message('Drop by drop.').waitFor();
    await chat.button('Stop Response').click();
    await chat.message('Drop by drop.').getByText('Stopped').waitFor();
    assert.match(await chat.message('Drop by drop.').locator('.usage').innerText(), /^~[\d,]+ in · \d+ out$/);
    const kept = (await texts()).at(-1) ?? '';
    assert.ok(kept.length > 5 && kept.length < SLOW.text.length / 2, `${kept.length} characters`);
    server.answer('It goes on.');
    await chat.message('Drop by drop.').getByRole('button', { name: 'Continue' }).click();
    await chat.message('It goes on.').waitFor();
    assert.ok((await texts()).includes(kept), 'what had come is still there');
  });

  it('lets the reader go back by a little while a reply arrives, and follows it again from the end', async () => {
    server.answer({ text: 'One more line.\n\n'.repeat(400), dripMs: 200 });
    await chat.write('Count on.');
    await chat.message('One more line.').waitFor();
    const feed = chat.workbench.webview().getByRole('feed');
    const grown = (from: number): Promise<void> =>
      eventually(async () =>
        assert.ok((await feed.evaluate(({ scrollHeight }: Scrolled) => scrollHeight)) > from + 50),
      );
    await grown(await feed.evaluate(({ clientHeight }: Scrolled) => clientHeight));
    const [top, height] = await feed.evaluate((list: Scrolled) => {
      list.scrollTop -= 10;
      return [list.scrollTop, list.scrollHeight] as const;
    });
    await grown(height);
    const now = await feed.evaluate(({ scrollTop }: Scrolled) => scrollTop);
    assert.ok(Math.abs(now - top) < 1, `${top} px became ${now}`);
    await chat.button('Jump to Latest').click();
    const followed = await feed.evaluate(({ scrollHeight }: Scrolled) => scrollHeight);
    await grown(followed);
    const below = await feed.evaluate((list: Scrolled) => list.scrollHeight - list.clientHeight - list.scrollTop);
    assert.ok(below < 50, `${below} px are below`);
    await chat.button('Stop Response').click();
    await chat.message('One more line.').getByText('Stopped').waitFor();
  });

  it('asks again for a reply, and keeps both on branches that can be switched', async () => {
    server.answer('Another way.');
    await chat.send('What else?', 'Another way.');
    server.answer('A third way.');
    await chat.act(chat.message('Another way.'), 'Retry');
    const third = chat.message('A third way.');
    await third.getByText('Branch 2 of 2').waitFor();
    assert.equal(await chat.message('Another way.').count(), 0);
    await third.getByRole('button', { name: 'Previous Branch' }).click();
    const second = chat.message('Another way.');
    await second.getByText('Branch 1 of 2').waitFor();
    await second.getByRole('button', { name: 'Next Branch' }).click();
    await third.waitFor();
  });

  it('sends a message again with another text, and the old one stays on its branch', async () => {
    server.answer('Something else altogether.');
    await chat.act(chat.message('What else?'), 'Edit and Resend');
    const editor = chat.workbench.webview().getByRole('textbox', { name: 'Edit and Resend' });
    await editor.fill('What quite else?');
    await editor.press('Enter');
    await chat.message('Something else altogether.').waitFor();
    const changed = chat.message('What quite else?');
    await changed.getByText('Branch 2 of 2').waitFor();
    await changed.getByRole('button', { name: 'Previous Branch' }).click();
    await chat.message('A third way.').waitFor();
    await chat.message(/What else\?/).waitFor();
  });

  it('deletes a message, and undoes that', async () => {
    await chat.act(chat.message('A third way.'), 'Delete Message');
    await chat.message('A third way.').waitFor({ state: 'detached' });
    await chat.said('Message deleted.').getByRole('button', { name: 'Undo' }).click();
    await chat.message('A third way.').waitFor();
  });

  it('copies a message as Markdown, and quotes a selection', async () => {
    server.answer(CODE);
    await chat.send('Show me.', 'It belongs into');
    await chat.workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chat.act(chat.message('It belongs into'), 'Copy as Markdown');
    await chat.said('Copied').waitFor();
    await chat.composer().press('Control+v');
    await chat.holds(CODE);
    await chat.composer().fill('');
    // Until the file is a link the text is drawn once more, and nothing of it stays selected.
    await chat.message('It belongs into').getByRole('link', { name: 'src/config.ts:3' }).waitFor();
    await chat.select(chat.message('It belongs into'), 'It belongs');
    await chat.act(chat.message('It belongs into'), 'Quote');
    await chat.holds(/^> It belongs\n/);
    await chat.composer().fill('');
  });

  it('pins a selection as a key event, and unpins it', async () => {
    const reply = chat.message('It belongs into');
    await chat.select(reply, 'It belongs into');
    await chat.act(reply, 'Pin as Key Event');
    await chat.said('Pinned').waitFor();
    await reply.getByRole('button', { name: '1 key event' }).click();
    await reply.locator('q', { hasText: 'It belongs into' }).waitFor();
    await reply.getByRole('button', { name: 'Unpin' }).click();
    await reply.getByRole('button', { name: 'Pin', exact: true }).waitFor();
  });

  it('opens a file of the workspace at the line that a message names', async () => {
    await chat.workbench.webview().getByRole('link', { name: 'src/config.ts:3' }).click();
    await chat.workbench.page.locator('.tab.active', { hasText: 'config.ts' }).waitFor();
    await chat.workbench.page.getByRole('button', { name: /Ln 3, Col 1/ }).waitFor();
  });

  it('puts code where the cursor is, and into a new file', async () => {
    const code = chat.workbench.webview().locator('.code-block');
    await chat.show();
    await code.getByRole('button', { name: 'Insert at Cursor' }).click();
    await chat.workbench.editorText().getByText('export const port = 8443;').waitFor();
    await chat.workbench.runCommand('Undo');
    await chat.show();
    await code.getByRole('button', { name: 'Open in New File' }).click();
    await chat.workbench.page.locator('.tab.active', { hasText: 'Untitled' }).waitFor();
    await chat.workbench.editorText().getByText('export const port = 8443;').waitFor();
  });

  it('opens a web address only after naming it and being told to', async () => {
    await chat.show();
    server.answer('See [the manual](https://example.com/manual?page=1).');
    await chat.send('Where is that written?', 'the manual');
    await chat.workbench.webview().getByRole('link', { name: 'the manual' }).click();
    const dialog = chat.workbench.dialog('Do you want to open this link outside VS Code?');
    await dialog.getByText('https://example.com/manual?page=1').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('draws a table as a table, and a task list with its boxes', async () => {
    await chat.show();
    server.answer(
      '| part | lines |\n| --- | --: |\n| parser | 120 |\n| printer | 80 |\n\n- [x] Write it\n- [ ] Test it\n',
    );
    await chat.send('How far is it?', 'printer');
    const reply = chat.message('printer').last();
    assert.deepEqual(await reply.getByRole('columnheader').allInnerTexts(), ['part', 'lines']);
    assert.deepEqual(await reply.getByRole('cell').allInnerTexts(), ['parser', '120', 'printer', '80']);
    const steps = reply.getByRole('listitem');
    assert.deepEqual(
      (await steps.allInnerTexts()).map((text) => text.trim()),
      ['Write it', 'Test it'],
    );
    await steps.filter({ hasText: 'Write it' }).getByRole('img', { name: 'done', exact: true }).waitFor();
    await steps.filter({ hasText: 'Test it' }).getByRole('img', { name: 'not done', exact: true }).waitFor();
  });

  it('starts a new branch of the session at a message', async () => {
    await chat.act(chat.message('A third way.'), 'Start New Branch from Here');
    await chat.message('the manual').waitFor({ state: 'detached' });
    server.answer('On the fork.');
    await chat.send('Go on from here.', 'On the fork.');
    await chat.message('Go on from here.').getByText('Branch 2 of 2').waitFor();
  });

  it('links the files that there are alone, and shows a diff in the colours of the editor', async () => {
    await chat.show();
    const diff = ['```diff', '-export const port = 80;', '+export const port = 8443;', '```'].join('\n');
    server.answer(`Not in \`src/nowhere.ts\`, but in \`src/main.ts:1\` or \`src/config.ts:2\`:\n\n${diff}`);
    await chat.send('Where exactly?', 'Not in');
    const reply = chat.message('Not in').last();
    await reply.getByRole('link', { name: 'src/config.ts:2' }).waitFor();
    assert.equal(await reply.getByRole('link', { name: 'src/nowhere.ts' }).count(), 0);
    const colour = (kind: string): Promise<string> =>
      reply.locator(`.hljs-${kind}`).evaluate((element) => {
        const page = globalThis as unknown as {
          getComputedStyle(element: unknown): { readonly color: string; readonly backgroundColor: string };
        };
        const { color, backgroundColor } = page.getComputedStyle(element);
        return `${color} on ${backgroundColor}`;
      });
    assert.notEqual(await colour('addition'), await colour('deletion'));
    await chat.workbench.screenshot('diff');
  });
});
