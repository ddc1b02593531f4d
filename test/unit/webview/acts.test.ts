import assert from 'node:assert/strict';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import type { PageToHost } from '../../../src/protocol/messages.ts';
import type { MessageView } from '../../../src/protocol/views.ts';
import { Acts } from '../../../src/webview/acts.ts';
import { HostLink } from '../../../src/webview/host-link.ts';
import { Toasts } from '../../../src/webview/toasts.ts';

const said = (id: string, role: 'user' | 'assistant', ending?: MessageView['ending']): MessageView => ({
  ...{ id: messageId(id), role, at: 1_767_225_600_000, parts: [{ type: 'text', text: 'Hello.' }] },
  ...(ending !== undefined && { ending }),
});

describe('an act of the page that fails', () => {
  let sent: PageToHost[];
  let last: MessageView;
  let link: HostLink;
  let toasts: Toasts;
  let acts: Acts;

  /** What the page asked for since the last look. */
  const asked = () => sent.splice(0).flatMap((message) => (message.type === 'request' ? [message] : []));
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  const refuse = async (id: number, command: string): Promise<void> => {
    const fault = { reason: 'offline', text: 'It failed.', action: { label: 'Way out', command } };
    link.receive({ type: 'refusal', id, ok: false, fault });
    await settled();
  };
  const answer = async (id: number, value: unknown): Promise<void> => {
    link.receive({ type: 'answer', id, ok: true, value });
    await settled();
  };
  const takeWayOut = (): void => toasts.trouble?.action?.run();

  beforeEach(() => {
    sent = [];
    link = new HostLink({ postMessage: (message) => void sent.push(message as PageToHost) });
    toasts = new Toasts(
      () => undefined,
      () => undefined,
    );
    acts = new Acts(link, toasts, () => last);
    last = said('m2', 'assistant', 'complete');
  });

  it('is itself repeated by its button, and asks for no reply', async () => {
    void acts.ask('runCommand', { command: 'chooseModel' });
    const [first] = asked();
    await refuse(first!.id, 'retry');
    takeWayOut();
    assert.deepEqual(
      asked().map(({ body }) => body),
      [{ type: 'runCommand', command: 'chooseModel' }],
    );
  });

  it('is told where it reads a file that cannot be read, as a folder that was dropped', async () => {
    assert.equal(await acts.readOrTell('a.log', Promise.resolve('one')), 'one');
    assert.equal(await acts.readOrTell('src', Promise.reject(new Error('NotFoundError'))), undefined);
    assert.equal(toasts.passing?.text, 'Couldn’t read src. Add it again.');
  });

  it('goes on by itself once the key that it lacked is set', async () => {
    void acts.ask('send', { session: sessionId('s1'), text: 'Are you there?', attachments: [], pasted: [] });
    const [send] = asked();
    last = said('m3', 'user');
    await refuse(send!.id, 'setModelKey');
    takeWayOut();
    const [key] = asked();
    assert.deepEqual(key?.body, { type: 'runCommand', command: 'setModelKey' });
    await answer(key.id, true);
    assert.deepEqual(
      asked().map(({ body }) => body),
      [{ type: 'retry', message: 'm3' }],
    );
  });

  it('asks once more for another reply in place of the one that stands again', async () => {
    void acts.ask('retry', { message: messageId('m2') });
    const [first] = asked();
    await refuse(first!.id, 'retry');
    takeWayOut();
    assert.deepEqual(
      asked().map(({ body }) => body),
      [{ type: 'retry', message: 'm2' }],
    );
  });

  it('stays as it is when no key was set, or when its text is back in the composer', async () => {
    void acts.ask('send', { session: sessionId('s1'), text: 'Are you there?', attachments: [], pasted: [] });
    const [send] = asked();
    await refuse(send!.id, 'setModelKey');
    takeWayOut();
    const [key] = asked();
    await answer(key!.id, false);
    assert.deepEqual(asked(), []);
    takeWayOut();
    const [again] = asked();
    await answer(again!.id, true);
    assert.deepEqual(asked(), []);
  });
});
