import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { GAUGE_PARTS } from '../../src/core/budget/gauge.ts';
import { eventually } from './eventually.ts';
import { COMPRESSION, INIT, PAGE_STATES, PREVIEW, sessionView, SUMMARY } from './page-states.ts';
import { lines, messageView, servePages, type StandaloneChat } from './standalone-page.ts';
import { openForAllTests, openForEachTest } from '../support/per-test.ts';

const [STATE] = Object.values(PAGE_STATES);

/** Functions that older browsers lack in which VS Code still runs. */
const NEWER = ['requestIdleCallback', 'URL.parse', 'Promise.withResolvers', 'Promise.try', 'Iterator'];

describe('chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  openForAllTests(async () => ({ page } = chat = await open()));

  /** Shows a reply that is streaming. */
  async function arrive(text: string) {
    const row = await chat.show(text, { ending: undefined, streaming: true });
    const { session } = chat;
    let all = text;
    const add = async (more: string): Promise<void> => {
      await chat.post({ type: 'replyDelta', session, id: session, offset: all.length, text: more });
      all += more;
    };
    const end = (): Promise<void> =>
      chat.post({ type: 'replyEnded', session, message: messageView(all, { id: session }) });
    return { row, add, end };
  }

  const code = (row: Locator): Locator => row.locator('.code-block code');
  /** Waits until the page has asked the host to copy this text. */
  const copies = (text: string): Promise<void> =>
    eventually(async () => assert.equal((await chat.requests('codeAction')).at(-1)?.text, text));

  it('works in browsers that lack newer functions', async () => {
    const older = await open(null, NEWER.map((name) => `delete globalThis.${name};`).join('\n'));
    const row = await older.show('[a](https://a.example)\n\n```ts\nconst a = 1;\n```');
    await row.getByRole('link', { name: 'a', exact: true }).waitFor();
    await row.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await row.hover();
    await row.getByRole('button', { name: 'Copy', exact: true }).click();
    await older.waitForRequests('codeAction', 1);
    await older.page.close();
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
    await copies('left\na\u202eb\nc\n');
  });

  it('copies the code shown so far while it is streaming', async () => {
    const long = 'const a = 1;\n'.repeat(500);
    const { row, add } = await arrive(`\`\`\`ts\n${long}`);
    await add('const last = 2;\n');
    await code(row).filter({ hasText: 'last' }).waitFor();
    await row.getByRole('button', { name: 'Copy', exact: true }).click();
    await copies(`${long}const last = 2;\n`);
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
    const row = await chat.show('```ts:src/a.ts\nconst a = 1;\n```');
    await row.locator('.code-bar').getByText('ts', { exact: true }).waitFor();
    await row.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  });

  it('shows each list, quotation and table in the direction of its text', async () => {
    const row = await chat.show('- מרכז\n\n> ציטוט\n\n| שם |\n|-|\n\n1. One\n   - מרכז');
    const directions = await row
      .locator(':is(ul, ol, blockquote, table)')
      .evaluateAll((all) => all.map((each) => each.matches(':dir(rtl)')));
    assert.deepEqual(directions, [true, true, true, false, true]);
  });

  it('shows a title in the direction of its text', async () => {
    await chat.show('Hello.', {}, { title: 'מרכז Redis' });
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
    const row = await chat.show('```ts\nexport const מספר = 42; // הערה\n```');
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
    await chat.show('**bold `code`**');
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('strong code')).fontWeight"), '700');
  });

  it('shows the progress of a task whose steps are collapsed', async () => {
    await chat.post(STATE!.data);
    const task = page.getByRole('region', { name: 'Task' });
    await task.getByRole('button', { expanded: true }).click();
    await task.getByRole('button', { expanded: false }).waitFor();
    assert.equal(await task.getByRole('checkbox').count(), 0);
    await task.getByRole('progressbar', { name: 'Steps' }).waitFor();
  });

  it('shows the actions of a collapsed tool output once, however long the output is', async () => {
    const row = await chat.show('$ npm test\n'.repeat(200), { role: 'tool' });
    await row.getByText('$ npm test').first().waitFor();
    assert.equal(await row.getByRole('button', { name: 'Copy as Markdown' }).count(), 1);
  });

  it('shows each part of the context in a different color', async () => {
    const gauge = {
      ...{ used: 900, budget: 1_000, contextWindow: 2_000, reserved: 1_000, policy: 'Balanced' },
      ...{ parts: GAUGE_PARTS.map((name) => ({ name, tokens: 100 })), costUsd: 0, droppedEvents: 0 },
    };
    await chat.show('Hello.', {}, { gauge });
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
    const search = (): Locator => page.getByRole('searchbox', { name: 'Search this session' });

    openForEachTest(async () => ({ page } = chat = await open()));

    /** Opens the editor of a message. */
    const edit = async (row: Locator): Promise<Locator> => {
      await row.hover();
      await row.getByRole('button', { name: 'Edit and Resend' }).click();
      const editor = row.getByRole('textbox', { name: 'Edit and Resend' });
      await chat.waitForFocus(editor);
      return editor;
    };
    /** Sends a paste event to the composer. It doesn't insert the text, so the test also fills it in. */
    const paste = (text: string): Promise<void> =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ${JSON.stringify(text)});
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('.composer-field').dispatchEvent(paste);
      }`);
    /** Waits until the texts of the sent messages that were pasted are these. */
    const sendsPasted = (...texts: readonly (readonly string[])[]): Promise<void> =>
      eventually(async () =>
        assert.deepEqual(
          (await chat.requests('send')).map(({ pasted }) => pasted),
          texts,
        ),
      );

    it('clears search and find results when another session is shown', async () => {
      await chat.showAll(lines(30));
      await chat.button('Search').click();
      await search().fill('port');
      await chat.answer('recall', [{ message: 's1-3', position: 3, start: 0, text: 'A port that was found' }]);
      await page.getByText('A port that was found').waitFor();
      await chat.showAll(lines(30));
      await page.getByText('A port that was found').waitFor({ state: 'detached' });
      await chat.waitForFocus(chat.composer());
      await page.keyboard.press('Control+f');
      // Enters the text at once, because a slow page would request results for the first letters as well.
      await page.keyboard.insertText('port');
      await chat.answer('find', [3, 4]);
      await page.locator('.find-count', { hasText: '/ 2' }).waitFor();
      await chat.showAll(lines(30));
      await page.locator('.find-count', { hasText: '/ 2' }).waitFor({ state: 'detached' });
    });

    it('enters text that is typed right after the shortcut into the find field', async () => {
      await chat.showAll(lines(2));
      const focused = await page.evaluate(`(async () => {
        const key = new KeyboardEvent('keydown', { key: 'f', code: 'KeyF', ctrlKey: true, bubbles: true });
        document.activeElement.dispatchEvent(key);
        await Promise.resolve();
        return document.activeElement.getAttribute('aria-label');
      })()`);
      assert.equal(focused, 'Find in this session');
    });

    it('calculates an open compression preview again when asked, and closes it with the session', async () => {
      await chat.showAll(lines(2));
      await chat.post({ type: 'focus', target: 'preview' });
      await page.getByText('Calculating…').waitFor();
      await chat.post({ type: 'focus', target: 'preview' });
      await chat.nextRequest('previewCompression');
      await chat.answer('previewCompression', PREVIEW);
      await chat.button('Compress').waitFor();
      await chat.showAll(lines(2));
      await chat.button('Compress').waitFor({ state: 'detached' });
    });

    it('requests the compression preview in the frame in which its panel opens', async () => {
      await chat.showAll(lines(2));
      const requested = await chat.postAtOnce(
        [{ type: 'focus', target: 'preview' }],
        `return posted.some(({ body }) => body?.type === 'previewCompression');`,
      );
      assert.equal(requested, true);
    });

    it('keeps another panel open when a closed preview fails', async () => {
      await chat.showAll(lines(2));
      await chat.post({ type: 'focus', target: 'preview' });
      await page.getByText('Calculating…').waitFor();
      await chat.composer().press('Escape');
      await page.locator('.title-button').click();
      await chat.refuse('previewCompression');
      await page.getByText('Not now.').waitFor();
      assert.equal(await page.getByRole('region', { name: 'Sessions' }).count(), 1);
    });

    it('searches for the /recall query even if the search is already open', async () => {
      await chat.showAll(lines(2));
      await chat.button('Search').click();
      for (const other of ['an older query', 'something else']) {
        await search().fill(other);
        await chat.submit('/recall port');
        await eventually(async () => assert.equal(await search().inputValue(), 'port'));
        await chat.waitForFocus(search());
      }
    });

    it('scrolls to where the overview was clicked, however long the messages are', async () => {
      await chat.showAll([...lines(15), ...lines(15).map((line) => `${line}\n\n`.repeat(60))]);
      const box = await page.locator('.minimap').boundingBox();
      assert.ok(box);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 4);
      await eventually(async () => {
        const top = Number(await page.locator('.map-view').getAttribute('y'));
        assert.ok(top > 0.18 && top < 0.26, String(top));
      });
    });

    it('stays at the end of a long session when a message of many lines is added', async () => {
      await chat.showAll(lines(40));
      const message = messageView('- one\n'.repeat(25), { id: 's1-40', role: 'user' });
      const all = {
        session: 's1',
        epoch: 1,
        total: 41,
        from: 40,
        messages: [message],
        summaryRanges: [],
        compressions: [],
      };
      await chat.post({ type: 'transcript', ...all });
      await chat.row(40).waitFor();
      assert.equal(await chat.button('Jump to Latest').count(), 0);
    });

    it('keeps a message in view whose editor is opened at the top, and then follows the end again', async () => {
      await chat.showAll(lines(20), { role: 'user' });
      const first = await page.evaluate(`(() => {
        const top = document.querySelector('.transcript').getBoundingClientRect().top;
        const rows = [...document.querySelectorAll('[data-message]')];
        return rows.find((row) => row.getBoundingClientRect().top >= top).dataset.message;
      })()`);
      const editor = await edit(page.locator(`[data-message="${String(first)}"]`));
      await chat.drawn();
      const hidden = `document.querySelector('.transcript').getBoundingClientRect().top -
        document.querySelector('.message-editor').getBoundingClientRect().top`;
      assert.ok(Number(await page.evaluate(hidden)) <= 0);
      await editor.press('Escape');
      await editor.waitFor({ state: 'detached' });
      await chat.drawn();
      assert.equal(await chat.button('Jump to Latest').count(), 0);
      await chat.row(19).hover();
    });

    it('keeps the changes to a message that is scrolled out of view', async () => {
      await chat.showAll(lines(60), { role: 'user' });
      const editor = await edit(chat.row(59));
      await editor.fill('The port is 8443.');
      await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
      await editor.waitFor({ state: 'detached' });
      await chat.composer().focus();
      await chat.button('Jump to Latest').click();
      await editor.waitFor();
      assert.equal(await editor.inputValue(), 'The port is 8443.');
    });

    it('keeps typed text when a queued message is taken out to be edited', async () => {
      const queue = { items: [{ id: 'q1', text: 'Then deploy it.', attachments: 0 }], isHeld: true };
      await chat.show('Hello.', {}, { status: { ...INIT.status, queue } });
      await page.locator('.queue').getByRole('button', { name: 'Edit' }).click();
      await chat.composer().fill('Build it.');
      await chat.answer('takeQueued', { text: 'Then deploy it.', pasted: ['deploy it.'] });
      await chat.waitForDraft('Build it.\nThen deploy it.');
      await chat.composer().press('Enter');
      await sendsPasted(['deploy it.']);
    });

    it('remembers pasted text when a message could not be sent', async () => {
      await chat.show('Hello.');
      await paste('Use port 8443.');
      await chat.submit('They say: Use port 8443.');
      await chat.refuse('send');
      await chat.waitForDraft('They say: Use port 8443.');
      await chat.composer().press('Enter');
      await sendsPasted(['Use port 8443.'], ['Use port 8443.']);
    });

    it('remembers a draft’s pasted text while another session is shown', async () => {
      await chat.show('Hello.');
      await paste('Use port 8443.');
      await chat.composer().fill('They say: Use port 8443.');
      await chat.show('Hello.');
      await chat.composer().fill('Another draft');
      const draft = { text: 'They say: Use port 8443.', attachments: [] };
      await chat.post({ ...INIT, session: 's1', draft });
      await chat.waitForDraft(draft.text);
      await chat.composer().press('Enter');
      await sendsPasted(['Use port 8443.']);
    });

    it('leaves keys with Ctrl or Shift to the composer while suggestions are shown', async () => {
      await chat.show('Hello.');
      const what = { kind: 'currentFile' };
      /** Types a word with one suggestion and presses a key. */
      const press = async (key: string): Promise<void> => {
        await chat.composer().fill('');
        await chat.composer().pressSequentially('Look at #');
        await chat.answer('completeContext', [{ label: 'Current File', detail: '', what }]);
        await page.getByRole('option', { name: 'Current File' }).waitFor();
        await chat.composer().press(key);
      };
      await press('Shift+Enter');
      await chat.waitForDraft('Look at #\n');
      await press('Shift+Tab');
      await chat.composer().and(page.locator(':not(:focus)')).waitFor();
      await press('Control+Enter');
      await chat.answer('send', null);
      assert.deepEqual(await chat.requests('attach'), []);
    });

    it('returns the focus to where find was opened, even if Ctrl+F is pressed again', async () => {
      const row = await chat.show('Hello.');
      await row.focus();
      await page.keyboard.press('Control+f');
      const field = page.getByRole('searchbox', { name: 'Find in this session' });
      await chat.waitForFocus(field);
      await page.keyboard.press('Control+f');
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
      await chat.waitForFocus(row);
    });

    it('scrolls to a message only when its own session is shown, even if that is later', async () => {
      await chat.showAll(lines(60));
      await chat.post({ type: 'reveal', session: 's2', position: 3 });
      await chat.post({ type: 'ping' });
      await page.waitForFunction(`posted.some(({ type }) => type === 'pong')`);
      await page.locator('[aria-posinset="60"]').waitFor();
      assert.equal(await chat.button('Jump to Latest').count(), 0);
      await chat.showAll(lines(60));
      await chat.waitForFocus(chat.row(3));
    });

    it('keeps the title field open while an earlier title is stored', async () => {
      await chat.show('Hello.', {}, { sessions: [sessionView('First'), sessionView('Second')] });
      await page.locator('.title-button').click();
      const rename = (name: string): Promise<void> =>
        page.locator('.session', { hasText: name }).getByRole('button', { name: 'Rename' }).click();
      const title = page.getByRole('textbox', { name: 'New title' });
      await rename('First');
      await title.fill('One');
      await rename('Second');
      await eventually(async () => assert.equal(await title.inputValue(), 'Second'));
      await chat.answer('renameSession', null);
      await chat.post({ type: 'toast', text: 'Stored.', action: null });
      await page.getByText('Stored.').waitFor();
      assert.equal(await title.count(), 1);
    });

    it('dismisses the error of a response when the next response starts', async () => {
      await chat.showAll(lines(1));
      await chat.submit('Deploy it.');
      await chat.refuse('send', { reason: 'failed', action: { label: 'Try Again', command: 'retry' } });
      await chat.button('Try Again').waitFor();
      const message = messageView('', { id: 's1-1', ending: undefined, streaming: true });
      await chat.post({ type: 'replyStarted', session: 's1', at: 1, message });
      await chat.button('Try Again').waitFor({ state: 'detached' });
    });

    it('refuses dropped files that aren’t text or are too large', async () => {
      await chat.showAll(lines(1));
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
      assert.deepEqual(await chat.requests('attach'), []);
    });
  });

  describe('when a message or a summary cannot be rendered', () => {
    const isFault = (row: Locator): Promise<number> => row.getByText('This message can’t be displayed').count();

    before(async () => {
      chat = await open(
        null,
        `const { replaceChildren } = Element.prototype;
        Element.prototype.replaceChildren = function (...nodes) {
          if (nodes.some((node) => node.textContent?.includes('CANNOT-BE-DRAWN'))) throw new Error('planted');
          return replaceChildren.apply(this, nodes);
        };`,
      );
      ({ page } = chat);
    });

    /** Opens the compression's summary, which contains this text. */
    async function openSummary(text: string): Promise<Locator> {
      const row = page.locator('.compression');
      await row.getByRole('button', { name: '1 message → 1 summary' }).click();
      await chat.answer('openNode', { ...SUMMARY, text });
      await row.getByRole('heading', { name: 'Ports' }).waitFor();
      return row;
    }

    it('shows the message’s source, and leaves the compression next to it unchanged', async () => {
      const row = await chat.show('All is well.', {}, { compressions: [COMPRESSION] });
      const summary = await openSummary('The port is **8443**.');
      const messages = [messageView('**CANNOT-BE-DRAWN**', { id: chat.session })];
      await chat.post({ type: 'messagesChanged', session: chat.session, messages });
      await row.locator('.plain', { hasText: '**CANNOT-BE-DRAWN**' }).waitFor();
      assert.equal(await summary.locator('strong', { hasText: '8443' }).count(), 1);
    });

    it('leaves the message next to the summary unchanged', async () => {
      const row = await chat.show('All is **well**.', {}, { compressions: [COMPRESSION] });
      await openSummary('**CANNOT-BE-DRAWN**');
      assert.equal(await isFault(row), 0);
      assert.equal(await row.locator('strong', { hasText: 'well' }).count(), 1);
    });
  });
});
