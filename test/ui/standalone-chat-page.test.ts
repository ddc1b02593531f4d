import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { GAUGE_PARTS } from '../../src/core/budget/gauge.ts';
import { eventually } from './eventually.ts';
import { COMPRESSION, INIT, PAGE_STATES, SUMMARY } from './page-states.ts';
import {
  answerRequest,
  messageView,
  postedCount,
  requestsOf,
  showMessage,
  showMessages,
  StandalonePages,
  postToPage,
} from './standalone-page.ts';

const [STATE] = Object.values(PAGE_STATES);
const PREVIEW = {
  ...{ emptyText: null, messages: 9, tokens: { before: 900, after: 90 }, kept: [], dropped: [] },
  ...{ model: 'gpt-5', estimatedCostUsd: null },
};

/** Functions that older browsers lack in which VS Code still runs. */
const NEWER = ['requestIdleCallback', 'URL.parse', 'Promise.withResolvers', 'Promise.try', 'Iterator'];

describe('chat page', () => {
  let pages: StandalonePages;
  let page: Page;
  let serial = 0;

  before(async () => {
    pages = await StandalonePages.start();
    page = await pages.open();
  });

  after(() => pages?.stop());

  /** Shows a new session with this message. */
  const show = (text: string, more: object = {}, fields: object = {}, on = page): Promise<Locator> =>
    showMessage(on, `parts-${++serial}`, text, more, fields);

  /** Shows a reply that is streaming. */
  async function arrive(text: string) {
    const row = await show(text, { ending: undefined, streaming: true });
    const session = `parts-${serial}`;
    let all = text;
    const add = async (more: string): Promise<void> => {
      await postToPage(page, { type: 'replyDelta', session, id: session, offset: all.length, text: more });
      all += more;
    };
    const end = (): Promise<void> =>
      postToPage(page, { type: 'replyEnded', session, message: messageView(all, { id: session }) });
    return { row, add, end };
  }

  const code = (row: Locator): Locator => row.locator('.code-block code');
  const asked = (type: string, of = page) => requestsOf(of, type);
  const posted = (): Promise<number> => postedCount(page);
  const answer = (type: string, after: number, result: Parameters<typeof answerRequest>[3]): Promise<void> =>
    answerRequest(page, type, after, result);

  it('works in browsers that lack newer functions', async () => {
    const older = await pages.open(null, NEWER.map((name) => `delete globalThis.${name};`).join('\n'));
    const row = await show('[a](https://a.example)\n\n```ts\nconst a = 1;\n```', {}, {}, older);
    await row.getByRole('link', { name: 'a', exact: true }).waitFor();
    await row.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await row.hover();
    await row.getByRole('button', { name: 'Copy', exact: true }).click();
    await eventually(async () => assert.equal((await asked('codeAction', older)).length, 1));
    await older.close();
  });

  for (const [length, rest] of [
    ['short', ''],
    ['long', 'const other = 0;\n'.repeat(400)],
  ] as const)
    it(`keeps the focus and the selection in ${length} code that is streaming`, async () => {
      const { row, add, end } = await arrive(`\`\`\`ts\nconst first = 1;\n${rest}`);
      const copy = row.getByRole('button', { name: 'Copy', exact: true });
      await copy.focus();
      await page.evaluate(`{
        const { firstChild } = document.querySelector('.code-block code');
        getSelection().setBaseAndExtent(firstChild, 6, firstChild, 11);
      }`);
      await add('const second = 2;\n');
      await code(row).filter({ hasText: 'second' }).waitFor();
      assert.equal(await page.evaluate('String(getSelection())'), 'first');
      // Text after the code doesn't replace its buttons.
      for (const more of ['``', '`\n', 'Do', 'ne.\n\nAnd more.']) await add(more);
      await row.getByText('And more.').waitFor();
      await end();
      await row.locator('p', { hasText: 'And more.' }).waitFor();
      assert.equal(await code(row).textContent(), `const first = 1;\n${rest}const second = 2;`);
      assert.equal(await copy.and(page.locator(':focus')).count(), 1);
    });

  it('shows the code point of a hidden character in streaming code, and copies the original character', async () => {
    const { row, add, end } = await arrive('```\nleft\n');
    await add('a\u202eb\n');
    await row.locator('.hidden-character', { hasText: 'U+202E' }).waitFor();
    await add('c\n```\n');
    await end();
    await eventually(async () => assert.equal(await code(row).textContent(), 'left\naU+202Eb\nc'));
    await row.getByRole('button', { name: 'Copy', exact: true }).click();
    await eventually(async () => assert.equal((await asked('codeAction')).at(-1)?.text, 'left\na\u202eb\nc\n'));
  });

  it('copies the code shown so far while it is streaming', async () => {
    const long = 'const a = 1;\n'.repeat(500);
    const { row, add } = await arrive(`\`\`\`ts\n${long}`);
    await add('const last = 2;\n');
    await code(row).filter({ hasText: 'last' }).waitFor();
    await row.getByRole('button', { name: 'Copy', exact: true }).click();
    await eventually(async () => assert.equal((await asked('codeAction')).at(-1)?.text, `${long}const last = 2;\n`));
  });

  it('keeps the text that follows a long code block out of the block', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `const a${at} = ${at};`).join('\n');
    const { row, add } = await arrive(`\`\`\`ts\n${lines}`);
    await code(row).getByText('const a399').waitFor();
    await add('\n``');
    await add('`\n');
    await add('\nThis makes');
    await add(' all of them.');
    await row.getByText('This makes all of them.').waitFor();
    assert.equal(await code(row).getByText('This makes').count(), 0);
    await add('\n\n**And** more.');
    await row.locator('strong', { hasText: 'And' }).waitFor();
  });

  it('labels streaming code with its whole language name, not its first letters', async () => {
    const { row, add } = await arrive('Look:\n\n```ty');
    await row.getByText('Look:').waitFor();
    assert.equal(await row.locator('.code-block').count(), 0);
    await add('pescript\nconst a = 1;\n');
    await row.locator('.code-bar').getByText('typescript', { exact: true }).waitFor();
  });

  it('links to the whole address when the address arrives in pieces', async () => {
    const { row, add, end } = await arrive('[docs]: https://docs.exa');
    await add('mple/ports\n\nSee [docs].');
    await end();
    await row
      .getByRole('link', { name: 'docs', exact: true })
      .and(page.getByTitle('Open https://docs.example/ports'))
      .waitFor();
  });

  it('labels and highlights code whose fence names a file', async () => {
    const row = await show('```ts:src/a.ts\nconst a = 1;\n```');
    await row.locator('.code-bar').getByText('ts', { exact: true }).waitFor();
    await row.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  });

  it('shows each list, quotation and table in the direction of its text', async () => {
    const row = await show('- מרכז\n\n> ציטוט\n\n| שם |\n|-|\n\n1. One\n   - מרכז');
    const directions = await row
      .locator(':is(ul, ol, blockquote, table)')
      .evaluateAll((all) => all.map((each) => each.matches(':dir(rtl)')));
    assert.deepEqual(directions, [true, true, true, false, true]);
  });

  it('shows a title in the direction of its text', async () => {
    await show('Hello.', {}, { title: 'מרכז Redis' });
    await page.locator('.header h1 .cut', { hasText: 'Redis' }).waitFor();
    const [first, last] = await page.evaluate<number[]>(`[0, 5].map((at) => {
      const range = document.createRange();
      range.setStart(document.querySelector('.header h1 .cut').firstChild, at);
      range.setEnd(range.startContainer, at + 1);
      return range.getBoundingClientRect().left;
    })`);
    assert.ok(first! > last!, `${first} > ${last}`);
  });

  it('shows code with Hebrew names and comments in its order', async () => {
    const row = await show('```ts\nexport const מספר = 42; // הערה\n```');
    const leftOf = async (token: string) => (await row.locator(`.hljs-${token}`).boundingBox())!.x;
    await row.locator('.hljs-comment').waitFor();
    const [keyword, number, comment] = [
      await leftOf('keyword >> nth=0'),
      await leftOf('number'),
      await leftOf('comment'),
    ];
    assert.ok(keyword < number && number < comment, `${keyword}, ${number}, ${comment}`);
  });

  it('shows inline code as bold as the surrounding text', async () => {
    await show('**bold `code`**');
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('strong code')).fontWeight"), '700');
  });

  it('shows the progress of a task whose steps are collapsed', async () => {
    await postToPage(page, STATE!.data);
    const task = page.getByRole('region', { name: 'Task' });
    await task.getByRole('button', { expanded: true }).click();
    await task.getByRole('button', { expanded: false }).waitFor();
    assert.equal(await task.getByRole('checkbox').count(), 0);
    await task.getByRole('progressbar', { name: 'Steps' }).waitFor();
  });

  it('shows the actions of a collapsed tool output once, however long the output is', async () => {
    const row = await show('$ npm test\n'.repeat(200), { role: 'tool' });
    await row.getByText('$ npm test').first().waitFor();
    assert.equal(await row.getByRole('button', { name: 'Copy as Markdown' }).count(), 1);
  });

  it('shows each part of the context in a different color', async () => {
    const gauge = {
      ...{ used: 900, budget: 1_000, contextWindow: 2_000, reserved: 1_000, policy: 'Balanced' },
      ...{ parts: GAUGE_PARTS.map((name) => ({ name, tokens: 100 })), costUsd: 0, droppedEvents: 0 },
    };
    await show('Hello.', {}, { gauge });
    const colors = ['lines', 'orange', 'yellow', 'purple', 'blue', 'green', 'foreground'];
    const variables = colors.map((name, index) => `--vscode-charts-${name}: rgb(${index * 30}, 0, 90)`).join(';');
    const shown = await page.evaluate<string[]>(`(() => {
      document.documentElement.style.cssText += ${JSON.stringify(`;${variables}`)};
      const parts = document.querySelectorAll('.gauge-bar .part');
      return [...parts].map((part) => getComputedStyle(part).backgroundColor);
    })()`);
    assert.equal(new Set(shown).size, GAUGE_PARTS.length, shown.join('; '));
    assert.ok(!shown.includes('rgba(0, 0, 0, 0)'), shown.join('; '));
  });

  describe('within a session', () => {
    const composer = (): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    const isFocused = (element: Locator): Promise<void> => element.and(page.locator(':focus')).waitFor();
    const search = (): Locator => page.getByRole('searchbox', { name: 'Search this session' });

    beforeEach(async () => {
      page = await pages.open();
    });

    afterEach(() => page.close());

    /** Shows these messages in a new session, or in the session with the ID `session`. */
    const showAll = (texts: readonly string[], session = `parts-${++serial}`): Promise<void> =>
      showMessages(page, session, texts);
    /** Sends a paste event to the composer. It doesn't insert the text, so the test also fills it in. */
    const paste = (text: string): Promise<void> =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ${JSON.stringify(text)});
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('.composer-field').dispatchEvent(paste);
      }`);
    /** The texts that were sent as pasted after the first `after` posted messages. */
    const sent = (after: number): Promise<unknown> =>
      page.evaluate(`posted.slice(${after}).find(({ body }) => body?.type === 'send')?.body.pasted ?? null`);
    const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `The port is ${index}.`);

    it('clears search and find results when another session is shown', async () => {
      await showAll(lines(30));
      let before = await posted();
      await button('Search').click();
      await search().fill('port');
      await answer('recall', before, {
        value: [{ message: `parts-${serial}-3`, position: 3, start: 0, text: 'A port that was found' }],
      });
      await page.getByText('A port that was found').waitFor();
      await showAll(lines(30));
      await page.getByText('A port that was found').waitFor({ state: 'detached' });
      await isFocused(composer());

      before = await posted();
      await page.keyboard.press('Control+f');
      // Enters the text at once, because a slow page would request results for the first letters as well.
      await page.keyboard.insertText('port');
      await answer('find', before, { value: [3, 4] });
      await page.locator('.find-count', { hasText: '/ 2' }).waitFor();
      await showAll(lines(30));
      await page.locator('.find-count', { hasText: '/ 2' }).waitFor({ state: 'detached' });
    });

    it('enters text that is typed right after the shortcut into the find field', async () => {
      await showAll(lines(2));
      const focused = await page.evaluate(`(async () => {
        const key = new KeyboardEvent('keydown', { key: 'f', code: 'KeyF', ctrlKey: true, bubbles: true });
        document.activeElement.dispatchEvent(key);
        await Promise.resolve();
        return document.activeElement.getAttribute('aria-label');
      })()`);
      assert.equal(focused, 'Find in this session');
    });

    it('calculates an open compression preview again when asked, and closes it with the session', async () => {
      await showAll(lines(2));
      await postToPage(page, { type: 'focus', target: 'preview' });
      await page.getByText('Calculating…').waitFor();
      const before = await posted();
      await postToPage(page, { type: 'focus', target: 'preview' });
      await answer('previewCompression', before, { value: PREVIEW });
      await button('Compress').waitFor();
      await showAll(lines(2));
      await button('Compress').waitFor({ state: 'detached' });
    });

    it('requests the compression preview in the frame in which its panel opens', async () => {
      await showAll(lines(2));
      const before = await posted();
      const requested = await page.evaluate(`(async () => {
        dispatchEvent(new MessageEvent('message', { data: { type: 'focus', target: 'preview' } }));
        for (let turn = 0; turn < 100; turn++) await null;
        return posted.slice(${before}).some(({ body }) => body?.type === 'previewCompression');
      })()`);
      assert.equal(requested, true);
    });

    it('keeps another panel open when a closed preview fails', async () => {
      await showAll(lines(2));
      const before = await posted();
      await postToPage(page, { type: 'focus', target: 'preview' });
      await page.getByText('Calculating…').waitFor();
      await composer().press('Escape');
      await page.locator('.title-button').click();
      await answer('previewCompression', before, 'busy');
      await page.getByText('Not now.').waitFor();
      assert.equal(await page.getByRole('region', { name: 'Sessions' }).count(), 1);
    });

    it('searches for the /recall query even if the search is already open', async () => {
      await showAll(lines(2));
      await button('Search').click();
      for (const other of ['an older query', 'something else']) {
        await search().fill(other);
        await composer().fill('/recall port');
        await composer().press('Enter');
        await eventually(async () => assert.equal(await search().inputValue(), 'port'));
        await isFocused(search());
      }
    });

    it('scrolls to where the overview was clicked, however long the messages are', async () => {
      await showAll([...lines(15), ...lines(15).map((line) => `${line}\n\n`.repeat(60))]);
      const box = await page.locator('.minimap').boundingBox();
      assert.ok(box);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 4);
      await eventually(async () => {
        const top = Number(await page.locator('.map-view').getAttribute('y'));
        assert.ok(top > 0.18 && top < 0.26, String(top));
      });
    });

    it('stays at the end of a long session when a message of many lines is added', async () => {
      await showAll(lines(40));
      const session = `parts-${serial}`;
      const message = messageView('- one\n'.repeat(25), { id: `${session}-40`, role: 'user' });
      const all = { session, epoch: 1, total: 41, from: 40, messages: [message], summaryRanges: [], compressions: [] };
      await postToPage(page, { type: 'transcript', ...all });
      await page.locator(`[data-message="${session}-40"]`).waitFor();
      assert.equal(await button('Jump to Latest').count(), 0);
    });

    it('keeps a message in view whose editor is opened at the top, and then follows the end again', async () => {
      const session = `parts-${++serial}`;
      const messages = lines(20).map((text, index) => messageView(text, { id: `${session}-${index}`, role: 'user' }));
      await postToPage(page, { ...INIT, session, messages, total: messages.length });
      await page.locator(`[data-message="${session}-19"]`).waitFor();
      const first = await page.evaluate(`(() => {
        const top = document.querySelector('.transcript').getBoundingClientRect().top;
        const rows = [...document.querySelectorAll('[data-message]')];
        return rows.find((row) => row.getBoundingClientRect().top >= top).dataset.message;
      })()`);
      const row = page.locator(`[data-message="${String(first)}"]`);
      await row.hover();
      await row.getByRole('button', { name: 'Edit and Resend' }).click();
      const editor = row.getByRole('textbox', { name: 'Edit and Resend' });
      await isFocused(editor);
      const nextFrame = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`;
      await page.evaluate(nextFrame);
      const hidden = `document.querySelector('.transcript').getBoundingClientRect().top -
        document.querySelector('.message-editor').getBoundingClientRect().top`;
      assert.ok(Number(await page.evaluate(hidden)) <= 0);
      await editor.press('Escape');
      await editor.waitFor({ state: 'detached' });
      await page.evaluate(nextFrame);
      assert.equal(await button('Jump to Latest').count(), 0);
      await page.locator(`[data-message="${session}-19"]`).hover();
    });

    it('keeps the changes to a message that is scrolled out of view', async () => {
      const session = `parts-${++serial}`;
      const messages = lines(60).map((text, index) => messageView(text, { id: `${session}-${index}`, role: 'user' }));
      await postToPage(page, { ...INIT, session, messages, total: messages.length });
      const row = page.locator(`[data-message="${session}-59"]`);
      await row.hover();
      await row.getByRole('button', { name: 'Edit and Resend' }).click();
      const editor = row.getByRole('textbox', { name: 'Edit and Resend' });
      await isFocused(editor);
      await editor.fill('The port is 8443.');
      await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
      await row.waitFor({ state: 'detached' });
      await composer().focus();
      await button('Jump to Latest').click();
      await editor.waitFor();
      assert.equal(await editor.inputValue(), 'The port is 8443.');
    });

    it('keeps typed text when a queued message is taken out to be edited', async () => {
      const queue = { items: [{ id: 'q1', text: 'Then deploy it.', attachments: 0 }], isHeld: true };
      await show('Hello.', {}, { status: { ...INIT.status, queue } });
      let before = await posted();
      await page.locator('.queue').getByRole('button', { name: 'Edit' }).click();
      await composer().fill('Build it.');
      await answer('takeQueued', before, { value: { text: 'Then deploy it.', pasted: ['deploy it.'] } });
      await eventually(async () => assert.equal(await composer().inputValue(), 'Build it.\nThen deploy it.'));
      before = await posted();
      await composer().press('Enter');
      await eventually(async () => assert.deepEqual(await sent(before), ['deploy it.']));
    });

    it('remembers pasted text when a message could not be sent', async () => {
      await show('Hello.');
      await paste('Use port 8443.');
      await composer().fill('They say: Use port 8443.');
      let before = await posted();
      await composer().press('Enter');
      await answer('send', before, 'busy');
      await eventually(async () => assert.equal(await composer().inputValue(), 'They say: Use port 8443.'));
      before = await posted();
      await composer().press('Enter');
      await eventually(async () => assert.deepEqual(await sent(before), ['Use port 8443.']));
    });

    it('remembers a draft’s pasted text while another session is shown', async () => {
      await show('Hello.');
      const session = `parts-${serial}`;
      await paste('Use port 8443.');
      await composer().fill('They say: Use port 8443.');
      await show('Hello.');
      await composer().fill('Another draft');
      const draft = { text: 'They say: Use port 8443.', attachments: [] };
      await postToPage(page, { ...INIT, session, draft });
      await eventually(async () => assert.equal(await composer().inputValue(), draft.text));
      const before = await posted();
      await composer().press('Enter');
      await eventually(async () => assert.deepEqual(await sent(before), ['Use port 8443.']));
    });

    it('leaves keys with Ctrl or Shift to the composer while suggestions are shown', async () => {
      await show('Hello.');
      const what = { kind: 'currentFile' };
      /** Types a word with one suggestion and presses a key. */
      const press = async (key: string): Promise<number> => {
        const before = await posted();
        await composer().fill('');
        await composer().pressSequentially('Look at #');
        await answer('completeContext', before, { value: [{ label: 'Current File', detail: '', what }] });
        await page.getByRole('option', { name: 'Current File' }).waitFor();
        await composer().press(key);
        return before;
      };
      await press('Shift+Enter');
      await eventually(async () => assert.equal(await composer().inputValue(), 'Look at #\n'));
      await press('Shift+Tab');
      await composer().and(page.locator(':not(:focus)')).waitFor();
      const before = await press('Control+Enter');
      await answer('send', before, { value: null });
      assert.deepEqual(await asked('attach'), []);
    });

    it('returns the focus to where find was opened, even if Ctrl+F is pressed again', async () => {
      const row = await show('Hello.');
      await row.focus();
      await page.keyboard.press('Control+f');
      const field = page.getByRole('searchbox', { name: 'Find in this session' });
      await isFocused(field);
      await page.keyboard.press('Control+f');
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
      await isFocused(row);
    });

    it('scrolls to a message only when its own session is shown, even if that is later', async () => {
      await showAll(lines(60));
      const next = `parts-${++serial}`;
      const before = await posted();
      await postToPage(page, { type: 'reveal', session: next, position: 3 });
      await postToPage(page, { type: 'ping' });
      await eventually(async () =>
        assert.ok(await page.evaluate(`posted.slice(${before}).some(({ type }) => type === 'pong')`)),
      );
      await page.locator('[aria-posinset="60"]').waitFor();
      assert.equal(await button('Jump to Latest').count(), 0);
      await showAll(lines(60), next);
      await isFocused(page.locator(`[data-message="${next}-3"]`));
    });

    it('keeps the title field open while an earlier title is stored', async () => {
      const view = { updatedAt: 1, messages: 1, pinned: false, archived: false };
      const sessions = ['First', 'Second'].map((title) => ({ ...view, id: title, title }));
      await show('Hello.', {}, { sessions });
      await page.locator('.title-button').click();
      const rename = (name: string): Promise<void> =>
        page.locator('.session', { hasText: name }).getByRole('button', { name: 'Rename' }).click();
      const title = page.getByRole('textbox', { name: 'New title' });
      const before = await posted();
      await rename('First');
      await title.fill('One');
      await rename('Second');
      await eventually(async () => assert.equal(await title.inputValue(), 'Second'));
      await answer('renameSession', before, { value: null });
      await postToPage(page, { type: 'toast', text: 'Stored.', action: null });
      await page.getByText('Stored.').waitFor();
      assert.equal(await title.count(), 1);
    });

    it('dismisses the error of a response when the next response starts', async () => {
      await showAll(lines(1));
      const session = `parts-${serial}`;
      const before = await posted();
      await composer().fill('Deploy it.');
      await composer().press('Enter');
      await answer('send', before, 'failed');
      await button('Try Again').waitFor();
      const message = messageView('', { id: `${session}-1`, ending: undefined, streaming: true });
      await postToPage(page, { type: 'replyStarted', session, at: 1, message });
      await button('Try Again').waitFor({ state: 'detached' });
    });

    it('refuses dropped files that aren’t text or are too large', async () => {
      await showAll(lines(1));
      for (const [bytes, name, type, reason] of [
        ['[80, 75, 3, 4, 0, 0]', 'a.zip', '', 'a.zip isn’t a text file, so it can’t be added.'],
        ['1_000_001', 'a.log', 'text/plain', 'a.log is larger than 1 MB. Add part of it instead.'],
        ['3_750_001', 'a.png', 'image/png', 'The image is larger than 3.7 MB.'],
      ] as const) {
        await page.evaluate(`{
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array(${bytes})], '${name}', { type: '${type}' }));
          const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector('.composer').dispatchEvent(drop);
        }`);
        await page.getByText(reason).waitFor();
      }
      assert.deepEqual(await asked('attach'), []);
    });

    it('offers to undo a deletion only while its session is shown', async () => {
      const row = await show('Hello.');
      const before = await posted();
      await row.hover();
      await row.getByRole('button', { name: 'Delete Message' }).click();
      await answer('deleteMessage', before, { value: null });
      await button('Undo').waitFor();
      await show('Hello.');
      // Without waiting, because any toast disappears after a few seconds.
      assert.equal(await button('Undo').count(), 0);
    });
  });

  describe('when a message or a summary cannot be rendered', () => {
    const isFault = (row: Locator): Promise<number> => row.getByText('This message can’t be displayed').count();

    before(async () => {
      page = await pages.open(
        null,
        `const { replaceChildren } = Element.prototype;
        Element.prototype.replaceChildren = function (...nodes) {
          if (nodes.some((node) => node.textContent?.includes('CANNOT-BE-DRAWN'))) throw new Error('planted');
          return replaceChildren.apply(this, nodes);
        };`,
      );
    });

    /** Opens the compression's summary, which contains this text. */
    async function openSummary(text: string): Promise<Locator> {
      const row = page.locator('.compression');
      const before = await posted();
      await row.getByRole('button', { name: '1 message → 1 summary' }).click();
      await answer('openNode', before, { value: { ...SUMMARY, text } });
      await row.getByRole('heading', { name: 'Ports' }).waitFor();
      return row;
    }

    it('shows the message’s source, and leaves the compression next to it unchanged', async () => {
      const row = await show('All is well.', {}, { compressions: [COMPRESSION] });
      const summary = await openSummary('The port is **8443**.');
      await postToPage(page, {
        type: 'messagesChanged',
        session: `parts-${serial}`,
        messages: [messageView('**CANNOT-BE-DRAWN**', { id: `parts-${serial}` })],
      });
      await row.locator('.plain', { hasText: '**CANNOT-BE-DRAWN**' }).waitFor();
      assert.equal(await summary.locator('strong', { hasText: '8443' }).count(), 1);
    });

    it('leaves the message next to the summary unchanged', async () => {
      const row = await show('All is **well**.', {}, { compressions: [COMPRESSION] });
      await openSummary('**CANNOT-BE-DRAWN**');
      assert.equal(await isFault(row), 0);
      assert.equal(await row.locator('strong', { hasText: 'well' }).count(), 1);
    });
  });
});
