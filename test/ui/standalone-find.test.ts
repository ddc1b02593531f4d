import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { servePages, type StandaloneChat } from './standalone-page.ts';
import { openForEachTest } from '../support/per-test.ts';

describe('find on the chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  openForEachTest(async () => ({ page } = chat = await open()));

  /** Finds words, which the session's message contains. */
  async function find(words: string): Promise<void> {
    await page.keyboard.press('Control+f');
    await page.getByLabel('Find in this session').fill(words);
    await chat.answer('find', [0]);
  }

  /** Whether the end of an element's text is visible. */
  const isInView = (match: Locator): Promise<boolean> =>
    match.evaluate((element) => {
      const range = document.createRange();
      range.setStart(element.lastChild!, element.lastChild!.textContent!.length - 1);
      range.setEnd(element.lastChild!, element.lastChild!.textContent!.length);
      const { left, bottom } = range.getBoundingClientRect();
      return document.elementFromPoint(left, bottom - 1)?.contains(element) === true;
    });

  it('expands the output of a tool that contains the match', async () => {
    const row = await chat.show('$ npm test\n27 tools passing', { role: 'tool' });
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
    await find('tool');
    await row.getByText('27 tools passing').waitFor();
    // It's expanded only once, so that the user can collapse it.
    await row.getByRole('button', { name: '$ npm test', expanded: true }).click();
    await chat.post({ type: 'task', task: null });
    await row.getByText('27 tools passing').waitFor({ state: 'detached' });
  });

  it('expands no tool call if the text of the message contains the match, even in several elements', async () => {
    const parts = [
      { type: 'text', text: 'I **run** the tests.' },
      { type: 'tool_call', name: 'shell', json: '{"command":"npm test"}' },
    ];
    const row = await chat.show('', { role: 'assistant', parts });
    const call = row.getByRole('button', { name: 'shell', expanded: false });
    await call.waitFor();
    await find('run the tests');
    await page.getByText('1 / 1').waitFor();
    await chat.post({ type: 'task', task: null });
    await call.waitFor();
    assert.equal(await row.getByRole('button', { name: 'shell', expanded: true }).count(), 0);
  });

  it('scrolls to the match, also in a long message and its output', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}.`);
    const code = `\`\`\`\n${lines.join('\n')}\n\`\`\``;
    for (const [text, message] of [
      [`${lines.join('\n\n')}\n\nThe port is 8443.`, { role: 'assistant' }],
      [`$ npm test\n${lines.join('\n')}\nThe port is 8443.`, { role: 'tool' }],
      [`${code}\n\nThe port is 8443.\n\n${code}`, { role: 'user' }],
    ] as const) {
      const row = await chat.show(text, message);
      await find('port is 8443');
      const match = row.getByText('The port is 8443.');
      await match.waitFor();
      await eventually(async () => assert.ok(await isInView(match)));
      // Going to the only match shows it again.
      await match.evaluate((element) => {
        for (let at: Element | null = element; at; at = at.parentElement) at.scrollTo(0, 0);
      });
      assert.ok(!(await isInView(match)));
      await page.getByLabel('Next Match').click();
      await eventually(async () => assert.ok(await isInView(match)));
      await page.keyboard.press('Escape');
    }
  });

  it('scrolls to the words of a search result, also in a long message and its output', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}.`);
    const said = 'See the [docs](https://example.org/a): **the** `port` is';
    for (const [text, message] of [
      [`${lines.join('\n\n')}\n\n${said} 8443.\n\n${lines.join('\n\n')}`, { role: 'assistant' }],
      [`$ npm test\n${lines.join('\n')}\nThe port is 8443.`, { role: 'tool' }],
      [`\`\`\`ts\n${lines.join('\n')}\nconst port = 8443;\n${lines.join('\n')}\n\`\`\``, { role: 'user' }],
    ] as const) {
      const row = await chat.show(text, message);
      await chat.button('Search').click();
      await page.getByLabel('Search this session').fill('which port?');
      const at = text.indexOf('8443') - 60;
      const hit = { message: chat.session, position: 0, start: at, text: text.slice(at, at + 130) };
      await chat.answer('recall', [hit]);
      await page.getByText('Message 1').click();
      const match = row.getByText('8443').last();
      await match.waitFor();
      await eventually(async () => assert.ok(await isInView(match)));
    }
  });

  it('expands the output with the words of a search result, whose other words are also in the text', async () => {
    const said = 'I fixed app.ts in step 2 and ran the tests again.';
    const output = 'npm test\nError: ECONNREFUSED 127.0.0.1:5432 in src/app.ts';
    const parts = [
      { type: 'text', text: said },
      { type: 'tool_call', name: 'shell', json: '{"command":"npm test"}' },
      { type: 'tool_result', text: output, isError: false },
    ];
    const row = await chat.show('', { role: 'assistant', parts });
    await chat.button('Search').click();
    await page.getByLabel('Search this session').fill('econnrefused');
    const text = `${said}\nshell {"command":"npm test"}\n${output}`;
    await chat.answer('recall', [{ message: chat.session, position: 0, start: 0, text }]);
    await page.getByText('Message 1').click();
    await row.getByText('ECONNREFUSED').waitFor();
  });

  it('expands a tool call whose first line, cut off on its button, contains the words of a search result', async () => {
    const json = `{"command":"cd /home/user/${'projects/'.repeat(10)} && npm test portforwarding"}`;
    await chat.show('', { role: 'assistant', parts: [{ type: 'tool_call', name: 'shell', json }] });
    await chat.button('Search').click();
    await page.getByLabel('Search this session').fill('portforwarding');
    await chat.answer('recall', [{ message: chat.session, position: 0, start: 0, text: `shell ${json}` }]);
    await page.getByText('Message 1').click();
    await page.locator('.message-body .disclosure[aria-expanded="true"]').first().waitFor();
  });

  const long = `${'Line after line.\n\n'.repeat(2_000)}The port is 8443.`;
  for (const [kind, text, message] of [
    ['message', long, { role: 'assistant' }],
    ['output that is collapsed', `$ npm test\n${long}`, { role: 'tool' }],
  ] as const) {
    it(`finds words that are cut off from a long ${kind}`, async () => {
      const row = await chat.show(text, message);
      await find('port is 8443');
      const match = row.getByText('The port is 8443.');
      await match.waitFor();
      await eventually(async () => assert.ok(await isInView(match)));
    });

    it(`shows a search result that is cut off from a long ${kind}`, async () => {
      const row = await chat.show(text, message);
      await chat.button('Search').click();
      await page.getByLabel('Search this session').fill('port');
      const hit = { message: chat.session, position: 0, start: 0, text: 'The port is 8443.' };
      await chat.answer('recall', [hit]);
      await page.getByText('Message 1').click();
      const match = row.getByText('The port is 8443.');
      await match.waitFor();
      await eventually(async () => assert.ok(await isInView(match)));
    });
  }

  it('expands nothing for a search result in a summary', async () => {
    const row = await chat.show('$ npm test\n27 tools passing', { role: 'tool' });
    await chat.button('Search').click();
    await page.getByLabel('Search this session').fill('port');
    await chat.answer('recall', [{ message: chat.session, position: 0, start: 0, text: 'The port is 8443.' }]);
    await page.getByText('Message 1').click();
    await chat.waitForFocus(row);
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
  });
});
