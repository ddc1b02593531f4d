import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { StatusView } from '../../src/protocol/views.ts';
import { eventually } from './eventually.ts';
import { COMPRESSION, INIT, SUMMARY } from './page-states.ts';
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

const READ_ONLY = { text: 'This session is open in another window.', isWrittenElsewhere: true };
const EVENT = { id: 'e', kind: 'fact', status: 'active', pinned: false };

describe('session on the chat page', () => {
  let pages: StandalonePages;
  let page: Page;

  before(async () => {
    pages = await StandalonePages.start();
  });

  after(() => pages?.stop());

  beforeEach(async () => {
    page = await pages.open();
  });

  afterEach(() => page.close());

  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
  const composer = (): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `The port is ${index}.`);
  const becomeReadOnly = (more: Partial<StatusView> = {}): Promise<void> =>
    postToPage(page, { type: 'status', status: { ...INIT.status, readOnly: READ_ONLY, ...more } });
  const isRefused = async (action: Locator, label?: string): Promise<void> => {
    await eventually(async () => assert.ok(await action.isDisabled(), label));
    const title = label === undefined ? READ_ONLY.text : `${label}\n${READ_ONLY.text}`;
    assert.equal(await action.getAttribute('title'), title);
  };
  /** Shows the list of sessions, which contains one, and starts to rename it. */
  const renameSession = async (): Promise<Locator> => {
    const view = { id: 'a', title: 'First', updatedAt: 1, messages: 1, pinned: false, archived: false };
    await showMessage(page, 'a', 'Hello.', {}, { sessions: [view] });
    await page.locator('.title-button').click();
    await page.locator('.session', { hasText: 'First' }).getByRole('button', { name: 'Rename' }).click();
    return page.getByRole('textbox', { name: 'New title' });
  };

  it('suggests to select a model in an empty session only if none can respond', async () => {
    const show = async (session: string, model: object): Promise<void> => {
      await postToPage(page, { ...INIT, session, messages: [], total: 0, model: { ...INIT.model, ...model } });
      await button('Open Sample Session').waitFor();
    };
    await show('none', { provider: 'local' });
    await button('Select Model…').waitFor();
    await show('a', { ready: true });
    await button('Select Model…').waitFor({ state: 'detached' });
    await show('b', { ready: false });
    await button('Select Model…').waitFor();
  });

  it('shows that messages are from yesterday once the day has changed', async () => {
    await page.clock.setFixedTime('2026-03-01T12:00');
    await showMessage(page, 'a', 'Hello.', { at: new Date('2026-03-01T11:00').getTime() });
    await page.locator('.day', { hasText: 'Today' }).waitFor();
    await page.clock.setFixedTime('2026-03-02T09:00');
    await postToPage(page, { type: 'status', status: INIT.status });
    await page.locator('.day', { hasText: 'Yesterday' }).waitFor();
  });

  for (const width of [500, 1200])
    it(`shows the messages of a long session right above the composer, ${width}px wide`, async () => {
      await page.setViewportSize({ width, height: 600 });
      await showMessages(page, 'long', lines(40));
      await page.locator('.minimap').waitFor();
      const [row, box, map] = await Promise.all(
        ['.row', '.composer', '.minimap'].map((selector) => page.locator(selector).last().boundingBox()),
      );
      assert.ok(row && box && map);
      const isWide = width === 1200;
      assert.equal(row.x, box.x);
      assert.equal(row.x + row.width, isWide ? box.x + box.width : map.x);
    });

  it('offers the sessions of other workspaces while this one has none', async () => {
    await postToPage(page, { ...INIT, total: 0, messages: [], elsewhere: 'moved' });
    await button('Recover Sessions from a Moved Folder…').click();
    await button('Open Session from Another Workspace…').click();
    const commands = (await requestsOf(page, 'runCommand')).map(({ command }) => command);
    assert.deepEqual(commands, ['reattachSessions', 'openOtherSession']);
    await postToPage(page, { type: 'sessions', sessions: [] });
    await button('Open Session from Another Workspace…').waitFor({ state: 'detached' });
  });

  it('announces a reply even if the one before had the same text', async () => {
    await showMessage(page, 'a', 'Hello.');
    const reply = async (id: string, at: number): Promise<void> => {
      const view = messageView('Done.', { id, ending: undefined, streaming: true });
      await postToPage(page, { type: 'replyStarted', session: 'a', at, message: view });
      await postToPage(page, {
        type: 'replyEnded',
        session: 'a',
        message: { ...view, ending: 'complete', streaming: false },
      });
      await page.locator(`[data-message="${id}"]:not(.streaming)`).waitFor();
    };
    await reply('b', 1);
    await page.getByRole('status').filter({ hasText: 'Response: Done.' }).waitFor();
    await page.evaluate(`{
      globalThis.changes = 0;
      const status = [...document.querySelectorAll('[role="status"]')].find((each) => each.textContent.includes('Done.'));
      new MutationObserver(() => changes++).observe(status, { childList: true, characterData: true, subtree: true });
    }`);
    await reply('c', 2);
    await eventually(async () => assert.notEqual(await page.evaluate<number>('changes'), 0));
  });

  it('keeps a draft when a slash command is typed before it', async () => {
    await showMessage(page, 'a', 'Hello.');
    await composer().fill('fix the parser');
    await composer().press('Home');
    await composer().pressSequentially('/com');
    await composer().press('Tab');
    assert.equal(await composer().inputValue(), '/comfix the parser');
  });

  it('moves the focus to the composer for a new branch, and offers to undo it only while its session is shown', async () => {
    const row = await showMessage(page, 'a', 'Hello.');
    await row.hover();
    await row.getByRole('button', { name: 'Start New Branch from Here' }).click();
    await answerRequest(page, 'fork', 0, { value: null });
    await button('Undo').waitFor();
    await composer().and(page.locator(':focus')).waitFor();
    await showMessage(page, 'b', 'Hello.');
    // Without waiting, because any toast disappears after a few seconds.
    assert.equal(await button('Undo').count(), 0);
  });

  it('loads messages again if another branch was shown before they arrived', async () => {
    const messages = lines(50).map((text, index) => messageView(text, { id: `a-${index}` }));
    await postToPage(page, { ...INIT, session: 'a', messages, total: 100, from: 50 });
    await page.locator('[aria-posinset="100"]').waitFor();
    await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
    const loads = () => requestsOf(page, 'loadMessages');
    await eventually(async () => assert.equal((await loads()).length, 1));
    const branch = lines(50).map((text, index) => messageView(text, { id: `b-${index}` }));
    await postToPage(page, { type: 'transcript', session: 'a', epoch: 2, total: 100, from: 50, messages: branch });
    await answerRequest(page, 'loadMessages', 0, { value: { from: 0, messages } });
    await eventually(async () => assert.equal((await loads()).length, 2));
  });

  it('keeps text that was typed after a message that returns to its own session', async () => {
    await showMessage(page, 'a', 'Hello.');
    await composer().fill('First');
    await composer().press('Enter');
    await composer().fill('Second');
    await eventually(async () => assert.equal((await requestsOf(page, 'send')).length, 1));
    const [{ id }] = (await requestsOf(page, 'send')) as [{ id: number }];
    const refusal = { type: 'refusal', id, fault: { reason: 'elsewhere', text: 'Not now.' } };
    // A busy browser may draw no frame between the two.
    await page.evaluate(`(async () => {
      for (const data of ${JSON.stringify([{ ...INIT, session: 'b' }, refusal])}) {
        window.dispatchEvent(new MessageEvent('message', { data }));
        for (let turn = 0; turn < 100; turn++) await null;
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    })()`);
    await page.getByText('Not now.').waitFor();
    const drafts = await page.evaluate(`posted.flatMap((each) => (each.type === 'setDraft' ? [each.text] : []))`);
    assert.equal((drafts as string[]).at(-1), 'First\nSecond');
  });

  it('opens the find bar even if Ctrl+F is pressed as soon as the session is shown', async () => {
    // A busy browser may draw no frame between the two.
    await page.evaluate(`(async () => {
      window.dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify({ ...INIT, session: 'a' })} }));
      for (let turn = 0; turn < 100; turn++) await null;
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true }));
    })()`);
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor();
  });

  it('stays at the end of a session that is shown while the previous one is searched', async () => {
    await showMessages(page, 'a', lines(60));
    await page.keyboard.press('Control+f');
    await page.keyboard.insertText('port');
    await eventually(async () => assert.equal((await requestsOf(page, 'find')).length, 1));
    const [request] = await requestsOf(page, 'find');
    const messages = lines(60).map((text, index) => messageView(text, { id: `b-${index}` }));
    const shown = { ...INIT, session: 'b', messages, total: messages.length };
    // A busy browser may draw no frame between the two.
    const below = await page.evaluate(`(async () => {
      for (const data of ${JSON.stringify([shown, { type: 'answer', id: request?.id, value: [3] }])}) {
        window.dispatchEvent(new MessageEvent('message', { data }));
        for (let turn = 0; turn < 100; turn++) await null;
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const { scrollHeight, clientHeight, scrollTop } = document.querySelector('.transcript');
      return scrollHeight - clientHeight - scrollTop;
    })()`);
    assert.ok(Number(below) < 2, `${String(below)} px are below the view`);
  });

  it('leaves the caret where the user moves it as soon as a refused message has returned', async () => {
    await showMessage(page, 'a', 'Hello.');
    await composer().fill('First');
    await composer().press('Enter');
    await eventually(async () => assert.equal((await requestsOf(page, 'send')).length, 1));
    const [{ id }] = (await requestsOf(page, 'send')) as [{ id: number }];
    const refusal = { type: 'refusal', id, fault: { reason: 'busy', text: 'Not now.' } };
    // A busy browser may draw no frame between the two.
    const caret = await page.evaluate(`(async () => {
      window.dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(refusal)} }));
      for (let turn = 0; turn < 100; turn++) await null;
      const field = document.querySelector('.composer-field');
      const returned = [field.value, field.selectionStart];
      field.setSelectionRange(0, 0);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return [...returned, field.selectionStart];
    })()`);
    assert.deepEqual(caret, ['First', 5, 0]);
  });

  it('offers to copy long code only once it is shown in full', async () => {
    const row = await showMessage(page, 'a', `\`\`\`ts\n${'const a = 1;\n'.repeat(3_000)}\`\`\``);
    const copy = row.getByRole('button', { name: 'Copy', exact: true });
    await row.getByRole('button', { name: /Show All/ }).waitFor();
    assert.equal(await copy.count(), 0);
    await row.getByRole('button', { name: /Show All/ }).click();
    await copy.waitFor();
  });

  it('quotes each line once even if it ends with CRLF', async () => {
    const row = await showMessage(page, 'a', 'first\r\nsecond');
    await row.hover();
    await row.getByRole('button', { name: 'Quote' }).click();
    await eventually(async () => assert.equal(await composer().inputValue(), '> first\n> second\n\n'));
  });

  it('edits and quotes all texts of a message that has several', async () => {
    const parts = ['What is this?', 'Answer in a sentence.'].map((text) => ({ type: 'text', text }));
    const row = await showMessage(page, 'a', '', { parts, role: 'user' });
    await row.hover();
    await row.getByRole('button', { name: 'Quote' }).click();
    await eventually(async () =>
      assert.equal(await composer().inputValue(), '> What is this?\n> Answer in a sentence.\n\n'),
    );
    await row.getByRole('button', { name: 'Edit and Resend' }).click();
    const editor = row.getByRole('textbox', { name: 'Edit and Resend' });
    assert.equal(await editor.inputValue(), 'What is this?\nAnswer in a sentence.');
  });

  it('leaves arrow keys with Shift to the text while sent texts are browsed', async () => {
    await showMessage(page, 'a', 'Hello.', {}, { history: ['First', 'Second'] });
    await composer().press('ArrowUp');
    await eventually(async () => assert.equal(await composer().inputValue(), 'Second'));
    await composer().press('Shift+ArrowUp');
    await composer().press('Delete');
    assert.equal(await composer().inputValue(), '');
  });

  it('shows the new text of an open summary that was edited', async () => {
    await showMessage(page, 'a', 'Hello.', {}, { compressions: [COMPRESSION] });
    await page.getByRole('button', { name: '1 message → 1 summary' }).click();
    await answerRequest(page, 'openNode', 0, { value: { ...SUMMARY, text: 'The port is 8443.' } });
    await page.getByText('The port is 8443.').waitFor();
    const before = await postedCount(page);
    await postToPage(page, { type: 'compression', session: 'a', summaryRanges: [], compressions: [COMPRESSION] });
    await answerRequest(page, 'openNode', before, { value: { ...SUMMARY, text: 'The port is 9000.' } });
    await page.getByText('The port is 9000.').waitFor();
    const again = await postedCount(page);
    await postToPage(page, { type: 'compression', session: 'a', summaryRanges: [], compressions: [COMPRESSION] });
    await answerRequest(page, 'openNode', again, 'busy');
    await page.getByText('Not now.').waitFor();
    assert.equal(await page.getByText('The port is 9000.').count(), 1, 'stays if the new text can’t be read');
  });

  it('does not say that nothing was found if a search fails', async () => {
    await showMessage(page, 'a', 'Hello.');
    await button('Search').click();
    await page.getByRole('searchbox', { name: 'Search this session' }).fill('port');
    await answerRequest(page, 'recall', 0, 'busy');
    await page.getByText('Not now.').waitFor();
    assert.equal(await page.getByText('No results').count(), 0);
  });

  it('finds and searches again when the positions of messages have changed', async () => {
    await showMessages(page, 'a', lines(30));
    const changePositions = async (epoch: number): Promise<number> => {
      const before = await postedCount(page);
      const messages = lines(20).map((text, index) => messageView(text, { id: `b-${index}` }));
      await postToPage(page, { type: 'transcript', session: 'a', epoch, total: 20, from: 0, messages });
      return before;
    };
    await page.keyboard.press('Control+f');
    await page.keyboard.insertText('port');
    await answerRequest(page, 'find', 0, { value: [3, 9, 20] });
    await page.locator('.find-count', { hasText: '/ 3' }).waitFor();
    await answerRequest(page, 'find', await changePositions(7), { value: [5, 16] });
    await page.locator('.find-count', { hasText: '/ 2' }).waitFor();
    await button('Search').click();
    await page.getByRole('searchbox', { name: 'Search this session' }).fill('port');
    const hit = { message: 'b-5', position: 5, start: 0, text: 'A port' };
    await answerRequest(page, 'recall', 0, { value: [hit] });
    await page.getByText('Message 6').waitFor();
    await answerRequest(page, 'recall', await changePositions(8), { value: [{ ...hit, position: 3 }] });
    await page.getByText('Message 4').waitFor();
  });

  it('draws the overview again when a branch of the same length is shown', async () => {
    await showMessages(page, 'a', lines(30));
    const outlines = () => requestsOf(page, 'outline');
    await eventually(async () => assert.equal((await outlines()).length, 1));
    const messages = lines(30).map((text, index) => messageView(text, { id: `b-${index}` }));
    await postToPage(page, { type: 'transcript', session: 'a', epoch: 2, total: 30, from: 0, messages });
    await eventually(async () => assert.equal((await outlines()).length, 2));
  });

  describe('next step of the task', () => {
    const task = (...steps: readonly string[]) => ({
      id: `t${steps.length}`,
      goal: 'Ship it',
      steps: steps.map((text) => ({ text, status: 'pending' })),
    });
    const field = (): Locator => page.getByRole('textbox', { name: 'Add step' });
    const texts = async (): Promise<unknown> =>
      page.evaluate(`posted.flatMap(({ body }) =>
        body?.type === 'addStep' ? [[body.session, body.goal, body.step].join(', ')] : [])`);
    /** Stores the task like the host, which then answers. */
    const store = async (after: number, ...steps: readonly string[]): Promise<void> => {
      await postToPage(page, { type: 'task', task: task(...steps) });
      await answerRequest(page, 'addStep', after, { value: null });
      await page.getByRole('checkbox', { name: steps.at(-1) ?? '' }).waitFor();
    };

    beforeEach(() => showMessage(page, 'a', 'Hello.', {}, { task: task() }));

    it('is kept, with the focus, while the previous one is stored', async () => {
      await field().fill('Test it');
      await field().press('Enter');
      await field().fill('Tag it');
      await store(0, 'Test it');
      assert.equal(await field().inputValue(), 'Tag it');
      assert.equal(await field().and(page.locator(':focus')).count(), 1);
    });

    it('replaces the previous one in the field as soon as that is entered', async () => {
      await field().fill('Test it');
      await field().press('Enter');
      await field().pressSequentially('Tag it');
      assert.equal(await field().inputValue(), 'Tag it');
    });

    it('is sent before the previous one is stored, because the user may switch to another session', async () => {
      for (const step of ['Test it', 'Tag it']) {
        await field().fill(step);
        await field().press('Enter');
      }
      await eventually(async () => assert.deepEqual(await texts(), ['a, Ship it, Test it', 'a, Ship it, Tag it']));
    });

    it('returns to the field if it is refused', async () => {
      await field().fill('Test it');
      await field().press('Enter');
      await answerRequest(page, 'addStep', 0, 'busy');
      await eventually(async () => assert.equal(await field().inputValue(), 'Test it'));
    });
  });

  it('shows a provider’s message about a rejected request as plain text', async () => {
    await showMessage(page, 'a', 'Hello.');
    await composer().fill('First');
    await composer().press('Enter');
    await eventually(async () => assert.equal((await requestsOf(page, 'send')).length, 1));
    const [request] = await requestsOf(page, 'send');
    const fault = { reason: 'invalid', text: 'Rejected.', details: 'Provider’s message: <b>no</b> [tools](https://x)' };
    await postToPage(page, { type: 'refusal', id: request?.id, fault });
    await page.getByRole('alert').getByText(fault.details, { exact: true }).waitFor();
  });

  it('counts down until a request can be tried again, without announcing each second', async () => {
    const now = new Date('2026-03-01T12:00').getTime();
    await page.clock.setFixedTime(now);
    await showMessage(page, 'a', 'Hello.');
    await composer().fill('First');
    await composer().press('Enter');
    await eventually(async () => assert.equal((await requestsOf(page, 'send')).length, 1));
    const [request] = await requestsOf(page, 'send');
    const wait = { until: now + 30_000, text: 'Rate limit reached. Try again {0}.' };
    const text = 'Rate limit reached. Try again in 30 seconds.';
    const fault = { reason: 'invalid', text, wait, action: { label: 'Try Again', command: 'retry' } };
    await postToPage(page, { type: 'refusal', id: request?.id, fault });
    const message = page.getByRole('alert').getByRole('timer');
    await message.getByText('Rate limit reached. Try again in 30 seconds.').waitFor();
    await page.clock.setFixedTime(now + 6_000);
    await message.getByText('Rate limit reached. Try again in 24 seconds.').waitFor();
    await page.clock.setFixedTime(now + 30_000);
    await message.getByText('Rate limit reached. Try again in a moment.').waitFor();
  });

  it('disables actions that change a session while another window writes to it, and says why', async () => {
    const row = await showMessage(page, 'a', 'Hello.', {
      role: 'user',
      steps: [{ text: 'Write it', done: false }],
      branches: { ids: ['a', 'b'], index: 0 },
      events: [{ ...EVENT, quote: 'Hello.' }],
    });
    await row.getByRole('button', { name: '1 key event' }).click();
    const changes = ['Use as Task Steps', 'Edit and Resend', 'Pin as Key Event', 'Start New Branch from Here'];
    for (const name of [...changes, 'Delete Message', 'Next Branch', 'Retry', 'Dismiss Key Event'])
      assert.ok(await row.getByRole('button', { name, exact: true }).isEnabled(), name);
    await becomeReadOnly();
    for (const name of [...changes, 'Delete Message', 'Next Branch'])
      await isRefused(row.getByRole('button', { name, exact: true }), name);
    for (const name of ['Retry', 'Dismiss Key Event'])
      assert.equal(await row.getByRole('button', { name, exact: true }).count(), 0, name);
    assert.ok(await row.getByRole('button', { name: 'Copy as Markdown' }).isEnabled());
    await postToPage(page, { type: 'status', status: INIT.status });
    await row.getByRole('button', { name: 'Retry', exact: true }).waitFor();
  });

  it('offers only a new session when the context is too full and another window writes to the session', async () => {
    const escalation = {
      ...{ text: 'The session still uses 80% of the context budget.', requestTokens: 80, budget: 100 },
      actions: [
        { label: 'Compress History', command: 'compressHistory' as const },
        { label: 'Unpin All Key Events', command: 'unpinAll' as const },
        { label: 'Select Model…', command: 'chooseModel' as const },
        { label: 'New Session', command: 'newSession' as const },
      ],
    };
    await showMessage(page, 'a', 'Hello.', {}, { status: { ...INIT.status, escalation } });
    const way = (name: string): Locator => page.locator('.escalation').getByRole('button', { name });
    for (const { label } of escalation.actions) assert.ok(await way(label).isEnabled(), label);
    await becomeReadOnly({ escalation });
    for (const { label } of escalation.actions.slice(0, -1)) await isRefused(way(label));
    assert.ok(await way('New Session').isEnabled());
  });

  it('disables changes to a session’s model, policy and place in the list while another window writes to it', async () => {
    const view = { updatedAt: 1, messages: 1, pinned: false, archived: false };
    const sessions = ['a', 'b'].map((id) => ({ ...view, id, title: `Session ${id}` }));
    const gauge = { used: 1, budget: 9, contextWindow: 10, reserved: 1, parts: [], droppedEvents: 0, costUsd: 0 };
    await showMessage(page, 'a', 'Hello.', {}, { sessions, gauge: { ...gauge, policy: 'Balanced' } });
    const model = page.locator('.model-button');
    await page.getByTitle('Context usage').click();
    const policy = button('Change Policy');
    for (const action of [model, policy]) assert.ok(await action.isEnabled());
    await becomeReadOnly();
    await isRefused(model, 'Select Model');
    await isRefused(policy);
    await page.locator('.title-button').click();
    for (const name of ['Pin', 'Rename', 'Archive', 'Delete']) {
      const action = (of: string) =>
        page.locator('.session', { hasText: of }).getByRole('button', { name, exact: true });
      await isRefused(action('Session a'), name);
      assert.ok(await action('Session b').isEnabled(), name);
    }
    await postToPage(page, {
      ...INIT,
      session: 'a',
      total: 0,
      messages: [],
      status: { ...INIT.status, readOnly: READ_ONLY },
    });
    await isRefused(button('Select Model…'));
  });

  it('offers no compression in a preview while another window writes to the session', async () => {
    await showMessage(page, 'a', 'Hello.');
    await postToPage(page, { type: 'focus', target: 'preview' });
    const effect = { emptyText: null, messages: 9, tokens: { before: 900, after: 90 }, kept: [], dropped: [] };
    await answerRequest(page, 'previewCompression', 0, {
      value: { ...effect, model: 'gpt-5', estimatedCostUsd: null },
    });
    await button('Compress').waitFor();
    await becomeReadOnly();
    await button('Compress').waitFor({ state: 'detached' });
    assert.ok(await button('Cancel').isEnabled());
  });

  it('keeps a slash command in the composer, and does not run it, while another window writes to the session', async () => {
    await showMessage(page, 'a', 'Hello.');
    for (const command of ['/pin Hello', '/compress']) {
      await composer().fill(command);
      await becomeReadOnly();
      await page.locator('.composer-field[readonly]').waitFor();
      await composer().press('Enter');
      assert.equal(await composer().inputValue(), command);
      await postToPage(page, { type: 'status', status: INIT.status });
      await page.locator('.composer-field:not([readonly])').waitFor();
    }
    assert.deepEqual([await requestsOf(page, 'pinQuote'), await requestsOf(page, 'runCommand')], [[], []]);
  });

  it('returns a refused slash command to the composer, as it was typed', async () => {
    await showMessage(page, 'a', 'Hello.');
    const run = async (command: string, request: string, typed = ''): Promise<void> => {
      const before = await postedCount(page);
      await composer().fill(command);
      await composer().press('Enter');
      if (typed !== '') await composer().fill(typed);
      await answerRequest(page, request, before, 'busy');
    };
    const returns = (value: string) => eventually(async () => assert.equal(await composer().inputValue(), value));
    await run('/pin Hello', 'pinQuote');
    await returns('/pin Hello');
    await run('/task Write it', 'runCommand', 'And then?');
    await returns('/task Write it\nAnd then?');
    await run('/compress the rest', 'runCommand');
    await returns('/compress the rest');
  });

  it('selects the title as soon as renaming starts, so that typing replaces it', async () => {
    await (await renameSession()).press('Escape');
    // A busy browser may draw no frame before the next key.
    const selected = await page.evaluate(`(async () => {
      document.querySelector('.session [aria-label="Rename"]').click();
      for (let turn = 0; turn < 100; turn++) await null;
      const { value, selectionStart, selectionEnd } = document.activeElement;
      return value?.slice(selectionStart, selectionEnd);
    })()`);
    assert.equal(selected, 'First');
  });

  it('discards a changed title on Escape', async () => {
    const title = await renameSession();
    await title.fill('Other');
    await title.press('Escape');
    await title.waitFor({ state: 'detached' });
    await page.locator('.session-open', { hasText: 'First' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(await requestsOf(page, 'renameSession'), []);
  });

  it('leaves the focus to VS Code when a list of VS Code has it, whatever changes on the page', async () => {
    const of = (id: string) => ({ id, title: id, updatedAt: 1, messages: 1, pinned: false, archived: false });
    await showMessage(page, 'a', 'Hello.', {}, { sessions: [of('a'), of('Second')] });
    await page.locator('.title-button').click();
    const row = page.locator('.session-open', { hasText: 'Second' });
    await row.focus();
    await page.evaluate(`
      document.hasFocus = () => false;
      globalThis.focused = [];
      window.addEventListener('focusin', ({ target }) => focused.push(target.outerHTML));`);
    await postToPage(page, { type: 'sessions', sessions: [of('a')] });
    await row.waitFor({ state: 'detached' });
    await postToPage(page, { type: 'focus', target: 'preview' });
    const tokens = { before: 0, after: 0 };
    const preview = {
      emptyText: 'Nothing.',
      messages: 0,
      tokens,
      kept: [],
      dropped: [],
      model: '',
      estimatedCostUsd: 0,
    };
    await answerRequest(page, 'previewCompression', 0, { value: preview });
    await page.locator('.preview').getByRole('button', { name: 'Close' }).waitFor();
    assert.deepEqual(await page.evaluate('focused'), []);
  });

  it('leaves keys other than the arrows to VS Code while a session is renamed', async () => {
    const title = await renameSession();
    await page.evaluate(`globalThis.keys = []; window.addEventListener('keydown', ({ key }) => keys.push(key))`);
    for (const key of ['F1', 'ArrowUp']) await title.press(key);
    assert.deepEqual(await page.evaluate('keys'), ['F1']);
  });

  it('closes suggestions when the caret leaves their word', async () => {
    await showMessage(page, 'a', 'Hello.');
    const suggestion = page.getByRole('option', { name: '/compress' });
    await composer().pressSequentially('/co');
    await suggestion.waitFor();
    await composer().press('Home');
    await suggestion.waitFor({ state: 'detached' });
  });

  it('shows no half of an emoji where a long text is truncated', async () => {
    const row = await showMessage(page, 'a', `${'a'.repeat(11_999)}😀${'b'.repeat(30_000)}`);
    const shown = (await row.locator('.markdown').textContent()) ?? '';
    assert.equal(shown, shown.toWellFormed().replaceAll('\ufffd', ''));
  });

  it('requests a long address as a whole, so that no other page is opened', async () => {
    const href = `https://a.example/${'x'.repeat(9_000)}`;
    const row = await showMessage(page, 'a', `[a](${href})`);
    await row.getByRole('link', { name: 'a', exact: true }).click();
    await eventually(async () => assert.equal((await requestsOf(page, 'openLink'))[0]?.href, href));
  });
});
