import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { StatusView } from '../../src/protocol/views.ts';
import { eventually } from './eventually.ts';
import { COMPRESSION, INIT, PREVIEW, sessionView, SUMMARY } from './page-states.ts';
import { lines, messageView, messageViews, refusal, servePages, type StandaloneChat } from './standalone-page.ts';
import { openForEachTest } from '../support/per-test.ts';

const READ_ONLY = { text: 'This session is open in another window.', isWrittenElsewhere: true };
/** Waits for the next frame. */
const DRAWN = 'await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));';
const EVENT = { id: 'e', kind: 'fact', status: 'active', pinned: false };

describe('session on the chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  openForEachTest(async () => ({ page } = chat = await open()));

  const becomeReadOnly = (more: Partial<StatusView> = {}): Promise<void> =>
    chat.post({ type: 'status', status: { ...INIT.status, readOnly: READ_ONLY, ...more } });
  const isRefused = async (action: Locator, label?: string): Promise<void> => {
    await eventually(async () => assert.ok(await action.isDisabled(), label));
    const title = label === undefined ? READ_ONLY.text : `${label}\n${READ_ONLY.text}`;
    assert.equal(await action.getAttribute('title'), title);
  };
  /** Shows the list of sessions, which contains one, and starts to rename it. */
  const renameSession = async (): Promise<Locator> => {
    await chat.show('Hello.', {}, { sessions: [sessionView('First')] });
    await page.locator('.title-button').click();
    await page.locator('.session', { hasText: 'First' }).getByRole('button', { name: 'Rename' }).click();
    return page.getByRole('textbox', { name: 'New title' });
  };

  it('suggests to select a model in an empty session only if none can respond', async () => {
    const show = async (session: string, model: object): Promise<void> => {
      await chat.post({ ...INIT, session, messages: [], total: 0, model: { ...INIT.model, ...model } });
      await chat.button('Open Sample Session').waitFor();
    };
    await show('none', { provider: 'local' });
    await chat.button('Select Model…').waitFor();
    await show('a', { ready: true });
    await chat.button('Select Model…').waitFor({ state: 'detached' });
    await show('b', { ready: false });
    await chat.button('Select Model…').waitFor();
  });

  it('shows that messages are from yesterday once the day has changed', async () => {
    await page.clock.setFixedTime('2026-03-01T12:00');
    await chat.show('Hello.', { at: new Date('2026-03-01T11:00').getTime() });
    await page.locator('.day', { hasText: 'Today' }).waitFor();
    await page.clock.setFixedTime('2026-03-02T09:00');
    await chat.post({ type: 'status', status: INIT.status });
    await page.locator('.day', { hasText: 'Yesterday' }).waitFor();
  });

  for (const width of [500, 1200])
    it(`shows the messages of a long session right above the composer, ${width}px wide`, async () => {
      await page.setViewportSize({ width, height: 600 });
      await chat.showAll(lines(40));
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
    await chat.post({ ...INIT, total: 0, messages: [], elsewhere: 'moved' });
    await chat.button('Recover Sessions from a Moved Folder…').click();
    await chat.button('Open Session from Another Workspace…').click();
    const commands = (await chat.requests('runCommand')).map(({ command }) => command);
    assert.deepEqual(commands, ['reattachSessions', 'openOtherSession']);
    await chat.post({ type: 'sessions', sessions: [] });
    await chat.button('Open Session from Another Workspace…').waitFor({ state: 'detached' });
  });

  it('announces a reply even if the one before had the same text', async () => {
    await chat.show('Hello.');
    const reply = async (id: string, at: number): Promise<void> => {
      const view = messageView('Done.', { id, ending: undefined, streaming: true });
      await chat.post({ type: 'replyStarted', session: 's1', at, message: view });
      const message = { ...view, ending: 'complete', streaming: false };
      await chat.post({ type: 'replyEnded', session: 's1', message });
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
    await chat.show('Hello.');
    await chat.composer().fill('fix the parser');
    await chat.composer().press('Home');
    await chat.composer().pressSequentially('/com');
    await chat.composer().press('Tab');
    assert.equal(await chat.composer().inputValue(), '/comfix the parser');
  });

  it('moves the focus to the composer for a new branch, and offers to undo it only while its session is shown', async () => {
    const row = await chat.show('Hello.');
    await row.hover();
    await row.getByRole('button', { name: 'Start New Branch from Here' }).click();
    await chat.answer('fork', null);
    await chat.button('Undo').waitFor();
    await chat.composer().and(page.locator(':focus')).waitFor();
    await chat.show('Hello.');
    // Without waiting, because any toast disappears after a few seconds.
    assert.equal(await chat.button('Undo').count(), 0);
  });

  it('offers to undo a deletion only while its session is shown', async () => {
    const row = await chat.show('Hello.');
    await row.hover();
    await row.getByRole('button', { name: 'Delete Message' }).click();
    await chat.answer('deleteMessage', null);
    await chat.button('Undo').waitFor();
    await chat.show('Hello.');
    assert.equal(await chat.button('Undo').count(), 0);
  });

  it('loads messages again if another branch was shown before they arrived', async () => {
    const messages = messageViews('a', lines(50));
    await chat.post({ ...INIT, session: 's1', messages, total: 100, from: 50 });
    await page.locator('[aria-posinset="100"]').waitFor();
    await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
    await chat.waitForRequests('loadMessages', 1);
    const branch = messageViews('b', lines(50));
    await chat.post({ type: 'transcript', session: 's1', epoch: 2, total: 100, from: 50, messages: branch });
    await chat.answer('loadMessages', { from: 0, messages });
    await chat.waitForRequests('loadMessages', 2);
  });

  it('keeps text that was typed after a message that returns to its own session', async () => {
    await chat.show('Hello.');
    await chat.submit('First');
    await chat.composer().fill('Second');
    const refused = refusal(await chat.nextRequest('send'), { reason: 'elsewhere' });
    await chat.postAtOnce([{ ...INIT, session: 's2' }, refused], DRAWN);
    await page.getByText('Not now.').waitFor();
    const drafts = await page.evaluate(`posted.flatMap((each) => (each.type === 'setDraft' ? [each.text] : []))`);
    assert.equal((drafts as string[]).at(-1), 'First\nSecond');
  });

  it('keeps a slash command as the draft of the session in which it was typed', async () => {
    for (const [command, request] of [
      ['/pin Hello', 'pinQuote'],
      ['/task Write it', 'runCommand'],
      ['/reset', 'runCommand'],
    ] as const) {
      await chat.show('Hello.');
      const typedIn = chat.session;
      await chat.submit(command);
      const { session } = (await chat.requests(request)).at(-1)!;
      assert.equal(session, typedIn);
      const refused = refusal(await chat.nextRequest(request), { reason: 'elsewhere' });
      await chat.postAtOnce([{ ...INIT, session: 'other' }, refused], DRAWN);
      await page.getByText('Not now.').waitFor();
      const drafts: unknown[] = await page.evaluate(`posted.filter(({ type }) => type === 'setDraft')`);
      assert.deepEqual(drafts.at(-1), { type: 'setDraft', session: typedIn, text: command });
      await chat.waitForDraft('');
    }
  });

  it('attaches dropped files to the session on which they were dropped', async () => {
    for (const type of ['text/plain', 'image/png']) {
      await chat.show('Hello.');
      const before = (await chat.requests('attach')).length;
      await page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['Hello'], 'a', { type: '${type}' }));
        document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
        const data = ${JSON.stringify({ ...INIT, session: 'other' })};
        dispatchEvent(new MessageEvent('message', { data }));
      }`);
      await chat.waitForRequests('attach', before + 1);
      assert.equal((await chat.requests('attach')).at(-1)?.session, chat.session);
    }
  });

  it('opens the find bar even if Ctrl+F is pressed as soon as the session is shown', async () => {
    const press = "dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true }))";
    await chat.postAtOnce([INIT], press);
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor();
  });

  it('stays at the end of a session that is shown while the previous one is searched', async () => {
    await chat.showAll(lines(60));
    await page.keyboard.press('Control+f');
    await page.keyboard.insertText('port');
    const answer = { type: 'answer', id: await chat.nextRequest('find'), value: [3] };
    const messages = messageViews('b', lines(60));
    const below = await chat.postAtOnce<number>(
      [{ ...INIT, session: 's2', messages, total: messages.length }, answer],
      `${DRAWN}
      const { scrollHeight, clientHeight, scrollTop } = document.querySelector('.transcript');
      return scrollHeight - clientHeight - scrollTop;`,
    );
    assert.ok(below < 2, `${below} px are below the view`);
  });

  it('leaves the caret where the user moves it as soon as a refused message has returned', async () => {
    await chat.show('Hello.');
    await chat.submit('First');
    const caret = await chat.postAtOnce(
      [refusal(await chat.nextRequest('send'))],
      `const field = document.querySelector('.composer-field');
      const returned = [field.value, field.selectionStart];
      field.setSelectionRange(0, 0);
      ${DRAWN}
      return [...returned, field.selectionStart];`,
    );
    assert.deepEqual(caret, ['First', 5, 0]);
  });

  it('offers to copy long code only once it is shown in full', async () => {
    const row = await chat.show(`\`\`\`ts\n${'const a = 1;\n'.repeat(3_000)}\`\`\``);
    const copy = row.getByRole('button', { name: 'Copy', exact: true });
    await row.getByRole('button', { name: /Show All/ }).waitFor();
    assert.equal(await copy.count(), 0);
    await row.getByRole('button', { name: /Show All/ }).click();
    await copy.waitFor();
  });

  it('quotes each line once even if it ends with CRLF', async () => {
    const row = await chat.show('first\r\nsecond');
    await row.hover();
    await row.getByRole('button', { name: 'Quote' }).click();
    await chat.waitForDraft('> first\n> second\n\n');
  });

  it('edits and quotes all texts of a message that has several', async () => {
    const parts = ['What is this?', 'Answer in a sentence.'].map((text) => ({ type: 'text', text }));
    const row = await chat.show('', { parts, role: 'user' });
    await row.hover();
    await row.getByRole('button', { name: 'Quote' }).click();
    await eventually(async () =>
      assert.equal(await chat.composer().inputValue(), '> What is this?\n> Answer in a sentence.\n\n'),
    );
    await row.getByRole('button', { name: 'Edit and Resend' }).click();
    const editor = row.getByRole('textbox', { name: 'Edit and Resend' });
    assert.equal(await editor.inputValue(), 'What is this?\nAnswer in a sentence.');
  });

  it('leaves arrow keys with Shift to the text while sent texts are browsed', async () => {
    await chat.show('Hello.', {}, { history: ['First', 'Second'] });
    await chat.composer().press('ArrowUp');
    await chat.waitForDraft('Second');
    await chat.composer().press('Shift+ArrowUp');
    await chat.composer().press('Delete');
    assert.equal(await chat.composer().inputValue(), '');
  });

  it('shows the new text of an open summary that was edited', async () => {
    await chat.show('Hello.', {}, { compressions: [COMPRESSION] });
    await page.getByRole('button', { name: '1 message → 1 summary' }).click();
    await chat.answer('openNode', { ...SUMMARY, text: 'The port is 8443.' });
    await page.getByText('The port is 8443.').waitFor();
    await chat.post({ type: 'compression', session: 's1', summaryRanges: [], compressions: [COMPRESSION] });
    await chat.answer('openNode', { ...SUMMARY, text: 'The port is 9000.' });
    await page.getByText('The port is 9000.').waitFor();
    await chat.post({ type: 'compression', session: 's1', summaryRanges: [], compressions: [COMPRESSION] });
    await chat.refuse('openNode');
    await page.getByText('Not now.').waitFor();
    assert.equal(await page.getByText('The port is 9000.').count(), 1, 'stays if the new text can’t be read');
  });

  it('does not say that nothing was found if a search fails', async () => {
    await chat.show('Hello.');
    await chat.button('Search').click();
    await page.getByRole('searchbox', { name: 'Search this session' }).fill('port');
    await chat.refuse('recall');
    await page.getByText('Not now.').waitFor();
    assert.equal(await page.getByText('No results').count(), 0);
  });

  it('finds and searches again when the positions of messages have changed', async () => {
    await chat.showAll(lines(30));
    const changePositions = (epoch: number): Promise<void> =>
      chat.post({
        ...{ type: 'transcript', session: 's1', epoch },
        ...{ total: 20, from: 0, messages: messageViews('b', lines(20)) },
      });
    await page.keyboard.press('Control+f');
    await page.keyboard.insertText('port');
    await chat.answer('find', [3, 9, 20]);
    await page.locator('.find-count', { hasText: '/ 3' }).waitFor();
    await changePositions(7);
    await chat.answer('find', [5, 16]);
    await page.locator('.find-count', { hasText: '/ 2' }).waitFor();
    await chat.button('Search').click();
    await page.getByRole('searchbox', { name: 'Search this session' }).fill('port');
    const hit = { message: 'b-5', position: 5, start: 0, text: 'A port' };
    await chat.answer('recall', [hit]);
    await page.getByText('Message 6').waitFor();
    await changePositions(8);
    await chat.answer('recall', [{ ...hit, position: 3 }]);
    await page.getByText('Message 4').waitFor();
  });

  it('draws the overview again when a branch of the same length is shown', async () => {
    await chat.showAll(lines(30));
    await chat.waitForRequests('outline', 1);
    const messages = messageViews('b', lines(30));
    await chat.post({ type: 'transcript', session: 's1', epoch: 2, total: 30, from: 0, messages });
    await chat.waitForRequests('outline', 2);
  });

  describe('next step of the task', () => {
    const task = { id: 't0', goal: 'Ship it', steps: [] };
    const field = (): Locator => page.getByRole('textbox', { name: 'Add step' });
    const texts = async (): Promise<unknown> =>
      page.evaluate(`posted.flatMap(({ body }) =>
        body?.type === 'addStep' ? [[body.session, body.goal, body.step].join(', ')] : [])`);
    const enter = async (step: string): Promise<void> => {
      await field().fill(step);
      await field().press('Enter');
    };

    beforeEach(() => chat.show('Hello.', {}, { task }));

    it('is kept, with the focus, while the previous one is stored', async () => {
      await enter('Test it');
      await field().fill('Tag it');
      await chat.post({ type: 'task', task: { ...task, id: 't1', steps: [{ text: 'Test it', status: 'pending' }] } });
      await chat.answer('addStep', null);
      await page.getByRole('checkbox', { name: 'Test it' }).waitFor();
      assert.equal(await field().inputValue(), 'Tag it');
      assert.equal(await field().and(page.locator(':focus')).count(), 1);
    });

    it('is sent before the previous one is stored, because the user may switch to another session', async () => {
      for (const step of ['Test it', 'Tag it']) await enter(step);
      await eventually(async () => assert.deepEqual(await texts(), ['s1, Ship it, Test it', 's1, Ship it, Tag it']));
    });

    it('returns to the field if it is refused', async () => {
      await enter('Test it');
      await chat.refuse('addStep');
      await eventually(async () => assert.equal(await field().inputValue(), 'Test it'));
    });
  });

  it('shows a provider’s message about a rejected request as plain text', async () => {
    await chat.show('Hello.');
    await chat.submit('First');
    const details = 'Provider’s message: <b>no</b> [tools](https://x)';
    await chat.refuse('send', { reason: 'invalid', text: 'Rejected.', details });
    await page.getByRole('alert').getByText(details, { exact: true }).waitFor();
  });

  it('counts down until a request can be tried again, without announcing each second', async () => {
    const now = new Date('2026-03-01T12:00').getTime();
    await page.clock.setFixedTime(now);
    await chat.show('Hello.');
    await chat.submit('First');
    const wait = { until: now + 30_000, text: 'Rate limit reached. Try again {0}.' };
    const text = 'Rate limit reached. Try again in 30 seconds.';
    await chat.refuse('send', { reason: 'invalid', text, wait, action: { label: 'Try Again', command: 'retry' } });
    const message = page.getByRole('alert').getByRole('timer');
    await message.getByText('Rate limit reached. Try again in 30 seconds.').waitFor();
    await page.clock.setFixedTime(now + 6_000);
    await message.getByText('Rate limit reached. Try again in 24 seconds.').waitFor();
    await page.clock.setFixedTime(now + 30_000);
    await message.getByText('Rate limit reached. Try again in a moment.').waitFor();
  });

  it('counts down to a retry, and says no more about it once the request is sent again', async () => {
    const now = new Date('2026-03-01T12:00').getTime();
    await page.clock.setFixedTime(now);
    const pendingRetry = { until: now + 4_000, text: 'Rate limit reached.' };
    await chat.show('Hello.', {}, { status: { ...INIT.status, replying: true, pendingRetry } });
    await page.getByRole('timer').getByText('Rate limit reached. Retrying in 4 s…').waitFor();
    await page.clock.setFixedTime(now + 4_000);
    await page.getByRole('timer').waitFor({ state: 'detached' });
  });

  it('disables actions that change a session while another window writes to it, and says why', async () => {
    const row = await chat.show('Hello.', {
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
    await chat.post({ type: 'status', status: INIT.status });
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
    await chat.show('Hello.', {}, { status: { ...INIT.status, escalation } });
    const way = (name: string): Locator => page.locator('.escalation').getByRole('button', { name });
    for (const { label } of escalation.actions) assert.ok(await way(label).isEnabled(), label);
    await becomeReadOnly({ escalation });
    for (const { label } of escalation.actions.slice(0, -1)) await isRefused(way(label));
    assert.ok(await way('New Session').isEnabled());
  });

  it('disables changes to a session’s model, policy and place in the list while another window writes to it', async () => {
    const sessions = ['s1', 's2'].map((id) => sessionView(`Session ${id}`, id));
    const gauge = { used: 1, budget: 9, contextWindow: 10, reserved: 1, parts: [], droppedEvents: 0, costUsd: 0 };
    await chat.show('Hello.', {}, { sessions, gauge: { ...gauge, policy: 'Balanced' } });
    const model = page.locator('.model-button');
    await page.getByTitle('Context usage').click();
    const policy = chat.button('Change Policy');
    for (const action of [model, policy]) assert.ok(await action.isEnabled());
    await becomeReadOnly();
    await isRefused(model, 'Select Model');
    await isRefused(policy);
    await page.locator('.title-button').click();
    for (const name of ['Pin', 'Rename', 'Archive', 'Delete']) {
      const action = (of: string) =>
        page.locator('.session', { hasText: of }).getByRole('button', { name, exact: true });
      await isRefused(action('Session s1'), name);
      assert.ok(await action('Session s2').isEnabled(), name);
    }
    const status = { ...INIT.status, readOnly: READ_ONLY };
    await chat.post({ ...INIT, session: 's1', total: 0, messages: [], status });
    await isRefused(chat.button('Select Model…'));
  });

  it('offers no compression in a preview while another window writes to the session', async () => {
    await chat.show('Hello.');
    await chat.post({ type: 'focus', target: 'preview' });
    await chat.answer('previewCompression', PREVIEW);
    await chat.button('Compress').waitFor();
    await becomeReadOnly();
    await chat.button('Compress').waitFor({ state: 'detached' });
    assert.ok(await chat.button('Cancel').isEnabled());
  });

  it('keeps a slash command in the composer, and does not run it, while another window writes to the session', async () => {
    await chat.show('Hello.');
    for (const command of ['/pin Hello', '/compress']) {
      await chat.composer().fill(command);
      await becomeReadOnly();
      await page.locator('.composer-field[readonly]').waitFor();
      await chat.composer().press('Enter');
      assert.equal(await chat.composer().inputValue(), command);
      await chat.post({ type: 'status', status: INIT.status });
      await page.locator('.composer-field:not([readonly])').waitFor();
    }
    assert.deepEqual([await chat.requests('pinQuote'), await chat.requests('runCommand')], [[], []]);
  });

  it('returns a refused slash command to the composer, as it was typed', async () => {
    await chat.show('Hello.');
    const run = async (command: string, request: string, typed = ''): Promise<void> => {
      await chat.submit(command);
      if (typed !== '') await chat.composer().fill(typed);
      await chat.refuse(request);
    };
    const returns = (value: string) => eventually(async () => assert.equal(await chat.composer().inputValue(), value));
    await run('/pin Hello', 'pinQuote');
    await returns('/pin Hello');
    await run('/task Write it', 'runCommand', 'And then?');
    await returns('/task Write it\nAnd then?');
    await run('/compress the rest', 'runCommand');
    await returns('/compress the rest');
  });

  it('announces each queued message, and that they are on hold, in a region that exists before', async () => {
    await chat.show('Hello.');
    // Screen readers only announce what is added to an existing region.
    await page.evaluate(`{
      globalThis.added = [];
      const observer = new MutationObserver((changes) => {
        for (const { addedNodes } of changes) added.push(...[...addedNodes].map((node) => node.textContent));
      });
      for (const status of document.querySelectorAll('[role="status"]'))
        observer.observe(status, { childList: true, subtree: true });
    }`);
    const items = ['And then?', 'And after that?'].map((text, n) => ({ id: `q${n}`, text, attachments: 0 }));
    const announced: string[] = [];
    for (const [count, isHeld, announcement] of [
      [1, false, 'Queued messages'],
      [2, false, 'Queued messages'],
      [1, false, undefined],
      [1, true, 'Queued messages (on hold)'],
      [0, true, undefined],
    ] as const) {
      const queue = { items: items.slice(0, count), isHeld };
      await chat.post({ type: 'status', status: { ...INIT.status, replying: !isHeld, queue } });
      await eventually(async () => assert.equal(await page.locator('.queue li').count(), count));
      if (announcement) announced.push(announcement);
      await eventually(async () => assert.deepEqual(await page.evaluate('added'), announced));
    }
  });

  it('selects the title as soon as renaming starts, so that typing replaces it', async () => {
    await (await renameSession()).press('Escape');
    const selected = await chat.postAtOnce(
      [],
      `document.querySelector('.session [aria-label="Rename"]').click();
      await settle();
      const { value, selectionStart, selectionEnd } = document.activeElement;
      return value?.slice(selectionStart, selectionEnd);`,
    );
    assert.equal(selected, 'First');
  });

  it('discards a changed title on Escape', async () => {
    const title = await renameSession();
    await title.fill('Other');
    await title.press('Escape');
    await title.waitFor({ state: 'detached' });
    await page.locator('.session-open', { hasText: 'First' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(await chat.requests('renameSession'), []);
  });

  it('leaves the focus to VS Code when a list of VS Code has it, whatever changes on the page', async () => {
    await chat.show('Hello.', {}, { sessions: [sessionView('a'), sessionView('Second')] });
    await page.locator('.title-button').click();
    const row = page.locator('.session-open', { hasText: 'Second' });
    await row.focus();
    await page.evaluate(`
      document.hasFocus = () => false;
      globalThis.focused = [];
      window.addEventListener('focusin', ({ target }) => focused.push(target.outerHTML));`);
    await chat.post({ type: 'sessions', sessions: [sessionView('a')] });
    await row.waitFor({ state: 'detached' });
    await chat.post({ type: 'focus', target: 'preview' });
    await chat.answer('previewCompression', { ...PREVIEW, emptyText: 'Nothing.' });
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
    await chat.show('Hello.');
    const suggestion = page.getByRole('option', { name: '/compress' });
    await chat.composer().pressSequentially('/co');
    await suggestion.waitFor();
    await chat.composer().press('Home');
    await suggestion.waitFor({ state: 'detached' });
  });

  it('shows no half of an emoji where a long text is truncated', async () => {
    const row = await chat.show(`${'a'.repeat(11_999)}😀${'b'.repeat(30_000)}`);
    const shown = (await row.locator('.markdown').textContent()) ?? '';
    assert.equal(shown, shown.toWellFormed().replaceAll('\ufffd', ''));
  });

  it('requests a long address as a whole, so that no other page is opened', async () => {
    const href = `https://a.example/${'x'.repeat(9_000)}`;
    const row = await chat.show(`[a](${href})`);
    await row.getByRole('link', { name: 'a', exact: true }).click();
    await eventually(async () => assert.equal((await chat.requests('openLink'))[0]?.href, href));
  });
});
