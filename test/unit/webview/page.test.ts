import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import type { PageToHost } from '../../../src/protocol/messages.ts';
import type { MessageView } from '../../../src/protocol/views.ts';
import { Page } from '../../../src/webview/page.ts';
import { INIT, messageView } from './init.ts';

describe('page', () => {
  let sent: PageToHost[];
  let page: Page;

  /** The page's requests since the last call. */
  const asked = () => sent.splice(0).flatMap((message) => (message.type === 'request' ? [message] : []));
  const bodies = () => asked().map(({ body }) => body);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const refuse = async (id: number, command: string, reason = 'offline'): Promise<void> => {
    const fault = { reason, text: 'It failed.', action: { label: 'Way out', command } };
    page.receive({ type: 'refusal', id, ok: false, fault });
    await settled();
  };
  const answer = async (id: number, value: unknown): Promise<void> => {
    page.receive({ type: 'answer', id, ok: true, value });
    await settled();
  };
  const runToastAction = (): void => page.toasts.persistent?.action?.run();
  const send = () =>
    page.request('send', { session: sessionId('s1'), text: 'Are you there?', attachments: [], pasted: [] });
  const endsWith = (id: string, role: MessageView['role'], ending?: MessageView['ending']) => {
    const last = { ...messageView(id, 'Hello.'), role, ...(ending !== undefined && { ending }) };
    page.receive({ ...INIT, messages: [messageView('m0', 'a'), last] });
  };

  beforeEach(() => {
    sent = [];
    const api = { postMessage: (message: PageToHost) => void sent.push(message), getState: () => null, setState() {} };
    page = new Page(api);
    endsWith('m2', 'assistant', 'complete');
  });

  it('leaves the composer alone when a draft belongs to another session', () => {
    const written: string[] = [];
    page.composer = { focus: () => undefined, setText: (words) => void written.push(String(words)) };
    const attachments = [{ id: 'a1', kind: 'file', name: 'left.ts', tokens: 1 }];
    const draft = (text: string) => ({ type: 'draft', draft: { text, attachments }, focus: true });
    page.receive({ ...draft('Of the other one'), session: 's0' });
    assert.deepEqual([written, page.session?.draft.attachments], [[], INIT.draft.attachments]);
    page.receive({ ...draft('Of this one'), session: 's1' });
    assert.deepEqual([written, page.session?.draft.attachments], [['Of this one'], attachments]);
  });

  it('remembers only so many pasted texts of a draft, each once', () => {
    for (let at = 0; at < 1_000; at++) page.addPasted('s1', [`Text ${at}.`, 'Always the same.']);
    const pasted = page.pastedInto('s1');
    assert.deepEqual([pasted.length, ...pasted.slice(-2)], [100, 'Text 999.', 'Always the same.']);
    page.clearPasted('s1');
    assert.deepEqual(page.pastedInto('s1'), []);
  });

  it('has the host store the text in a message’s editor at once, and shows it when the session is shown again', () => {
    const [id, session] = [messageId('m0'), sessionId('s1')];
    sent.length = 0;
    page.saveEdit(id, 'My correction');
    assert.deepEqual(sent, [{ type: 'setEdit', session, message: id, text: 'My correction' }]);
    page.receive({ ...INIT, edits: { m0: 'An older text, because the host had not stored the latest yet' } });
    assert.equal(page.editOf(id), 'My correction');
    page.receive({ ...INIT, session: 's2' });
    assert.equal(page.editOf(id), undefined);
    // Sending it failed only after the user had switched to this session.
    page.saveEdit(id, 'My correction', session);
    assert.deepEqual(sent.at(-1), { type: 'setEdit', session, message: id, text: 'My correction' });
    assert.equal(page.editOf(id), undefined);
    page.receive({ ...INIT, edits: { m0: 'My correction' } });
    assert.equal(page.editOf(id), 'My correction');
    page.saveEdit(id, null);
    assert.equal(page.editOf(id), undefined);
    assert.deepEqual(sent.at(-1), { type: 'setEdit', session, message: id, text: null });
  });

  describe('when messaging with the host', () => {
    it('passes an answer to its request, and reports a refusal', async () => {
      const recall = page.request('recall', { query: 'port' });
      let reason: string | undefined;
      const fork = page.request('fork', { message: messageId('m') }, (why) => (reason = why));
      const [first, second] = asked();
      assert.deepEqual(first?.body, { type: 'recall', query: 'port' });
      await refuse(second!.id, 'openLog', 'busy');
      await answer(first.id, []);
      assert.deepEqual(await recall, []);
      assert.equal(await fork, undefined);
      assert.equal(reason, 'busy');
      assert.equal(page.toasts.persistent?.text, 'It failed.');
    });

    it('drops a message that violates the protocol, and logs the fault without its content', () => {
      page.receive({ type: 'replyDelta', session: 's', id: 'm', offset: -1, text: 'secret' });
      assert.match(JSON.stringify(sent), /pageFault.*offset/);
      assert.doesNotMatch(JSON.stringify(sent), /secret/);
    });

    it('reports an answer of the wrong shape as an internal error', async () => {
      const recall = page.request('recall', { query: 'x' });
      await answer(asked()[0]!.id, 'nonsense');
      assert.equal(await recall, undefined);
      assert.match(page.toasts.temporary?.text ?? '', /internal error/);
    });
  });

  describe('after a failure', () => {
    it('repeats only the failed request when its button is pressed', async () => {
      for (const [type, fields] of [
        ['runCommand', { command: 'chooseModel' }],
        ['retry', { message: messageId('m2') }],
      ] as const) {
        void page.request(type, fields);
        await refuse(asked()[0]!.id, 'retry');
        runToastAction();
        assert.deepEqual(bodies(), [{ type, ...fields }]);
      }
    });

    it('reports a file that cannot be read, such as a dropped folder', async () => {
      assert.equal(await page.readOrReport('a.log', Promise.resolve('one')), 'one');
      assert.equal(await page.readOrReport('src', Promise.reject(new Error('NotFoundError'))), undefined);
      assert.equal(page.toasts.temporary?.text, 'Couldn’t read src. Add it again.');
    });

    it('retries the message automatically once the missing key is set', async () => {
      void send();
      const [request] = asked();
      endsWith('m3', 'user');
      await refuse(request!.id, 'setModelKey');
      runToastAction();
      const [key] = asked();
      assert.deepEqual(key?.body, { type: 'runCommand', session: 's1', command: 'setModelKey' });
      await answer(key.id, true);
      assert.deepEqual(bodies(), [{ type: 'retry', message: 'm3' }]);
    });

    it('requests nothing more when no key was set or when the text is back in the composer', async () => {
      for (const isSet of [false, true]) {
        void send();
        await refuse(asked()[0]!.id, 'setModelKey');
        runToastAction();
        await answer(asked()[0]!.id, isSet);
        assert.deepEqual(asked(), []);
      }
    });
  });

  describe('when showing toasts', () => {
    const readOnly = { ...INIT.status, readOnly: { text: 'Open in another window.', isWrittenElsewhere: true } };
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());
    const words = () => page.toasts.shown.map((each) => each.text);
    const passTime = () => mock.timers.tick(60_000);
    const action = { label: 'Try Again', run: () => undefined };

    it('hides an informational toast automatically', () => {
      page.toasts.show('Copied');
      assert.deepEqual(words(), ['Copied']);
      passTime();
      assert.deepEqual(words(), []);
    });

    it('keeps an error toast with an action, despite newer toasts, until sending works', async () => {
      page.toasts.show('The provider is overloaded.', 'error', action);
      page.toasts.show('Copied');
      assert.deepEqual(words(), ['The provider is overloaded.', 'Copied']);
      passTime();
      assert.deepEqual(words(), ['The provider is overloaded.']);
      void send();
      await answer(asked()[0]!.id, null);
      assert.deepEqual(words(), []);
    });

    it('dismisses the error that another window writes the session once this one has taken over', async () => {
      page.receive({ type: 'status', status: readOnly });
      asked();
      const deleting = page.tryRequest('deleteMessage', { message: messageId('m2') });
      await refuse(asked()[0]!.id, 'takeOver', 'read_only');
      assert.equal(await deleting, false);
      assert.equal(page.toasts.persistent?.text, 'It failed.');
      page.receive({ type: 'status', status: INIT.status });
      assert.equal(page.toasts.persistent, undefined);
    });

    it('offers to undo a change only until another window writes to the session', () => {
      page.showUndo('Message deleted.', () => undefined);
      page.receive({ type: 'status', status: { ...INIT.status, replying: true } });
      assert.deepEqual(words(), ['Message deleted.']);
      page.receive({ type: 'status', status: readOnly });
      assert.deepEqual(words(), []);
    });

    it('dismisses a toast on request', () => {
      page.toasts.show('The key was refused.', 'error', action);
      page.toasts.dismiss(page.toasts.shown[0]!);
      assert.deepEqual(words(), []);
    });

    it('restores every session deleted while the toast is shown', () => {
      const restored: string[] = [];
      const remove = (id: string) => page.toasts.showSessionDeleted(sessionId(id), (each) => restored.push(each));
      const one = ['Session deleted. To erase its file, run Clean Up Sessions.'];
      remove('a');
      assert.deepEqual(words(), one);
      remove('b');
      assert.deepEqual(words(), ['2 sessions deleted. To erase their files, run Clean Up Sessions.']);
      page.toasts.shown[0]?.action?.run();
      assert.deepEqual(restored, ['a', 'b']);
      passTime();
      remove('c');
      assert.deepEqual(words(), one);
    });
  });
});
