import assert from 'node:assert/strict';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { RequestFault } from '../../../src/protocol/faults.ts';
import {
  answerRequest,
  parseHostMessage,
  parsePageMessage,
  type HostToPage,
  type PageToHost,
} from '../../../src/protocol/messages.ts';
import { parseAnswer, REQUEST_TYPES, type RequestHandlers, type RequestType } from '../../../src/protocol/requests.ts';

const refuse = () => Promise.reject(new RequestFault('not_found', 'That message is gone.'));

/** Handlers that refuse everything except for those that a test names. */
function handlers(some: Partial<RequestHandlers>): RequestHandlers {
  const all = Object.fromEntries(REQUEST_TYPES.map((type: RequestType) => [type, refuse]));
  return { ...all, ...some } as unknown as RequestHandlers;
}

describe('messages between the host and the page', () => {
  it('are accepted in both directions if they follow the protocol', () => {
    const question: PageToHost = {
      type: 'request',
      id: 7,
      body: {
        type: 'send',
        session: sessionId('s1'),
        text: 'Why does the build fail?',
        attachments: ['a1'],
        pasted: [],
      },
    };
    assert.deepEqual(parsePageMessage(JSON.parse(JSON.stringify(question))), { ok: true, message: question });
    const delta: HostToPage = {
      type: 'replyDelta',
      session: sessionId('s1'),
      id: messageId('m2'),
      offset: 12,
      text: 'because',
    };
    assert.deepEqual(parseHostMessage(JSON.parse(JSON.stringify(delta))), { ok: true, message: delta });
  });

  it('are rejected with the location of the error, but without their content', () => {
    const secret = 'sk-do-not-log-me';
    const parsed = parsePageMessage({
      type: 'request',
      id: 1,
      body: { type: 'send', session: 's1', text: [secret], attachments: [], pasted: [] },
    });
    assert.ok(!parsed.ok);
    assert.match(parsed.problem, /"request".*body\.text.*expected string/);
    assert.ok(!parsed.problem.includes(secret));
  });

  it('are rejected if their type is unknown or missing, or if the value is not a message', () => {
    const hostile: unknown[] = [null, 1, 'ready', [], {}, { type: 'eval' }, { type: ['ready'] }, { type: '__proto__' }];
    for (const value of hostile) {
      assert.equal(parsePageMessage(value).ok, false, JSON.stringify(value));
      assert.equal(parseHostMessage(value).ok, false, JSON.stringify(value));
    }
  });

  it('can run only commands on a fixed list', () => {
    const run = (command: string) =>
      parsePageMessage({ type: 'request', id: 1, body: { type: 'runCommand', command } });
    assert.equal(run('compressHistory').ok, true);
    assert.equal(run('workbench.action.terminal.sendSequence').ok, false);
  });

  it('can contain only raster images', () => {
    const attach = (mediaType: string) =>
      parsePageMessage({
        type: 'request',
        id: 1,
        body: { type: 'attach', session: 's1', what: { kind: 'image', name: 'a', mediaType, base64: 'AA==' } },
      });
    assert.equal(attach('image/png').ok, true);
    assert.equal(attach('image/svg+xml').ok, false);
  });
});

describe('requests from the page', () => {
  const faultOf = (error: unknown) =>
    error instanceof RequestFault
      ? { reason: error.reason, text: error.message }
      : ({ reason: 'failed', text: 'The preview could not be made. See the log.' } as const);

  it('are answered by the handler of their type', async () => {
    const answer = await answerRequest(
      3,
      { type: 'recall', query: 'port' },
      handlers({ recall: (request) => Promise.resolve([hit(request.query)]) }),
      faultOf,
    );
    assert.deepEqual(answer, { type: 'answer', id: 3, value: [hit('port')] });
  });

  it('are refused with the handler’s reason', async () => {
    const answer = await answerRequest(4, { type: 'fork', message: messageId('gone') }, handlers({}), faultOf);
    assert.deepEqual(answer, { type: 'refusal', id: 4, fault: { reason: 'not_found', text: 'That message is gone.' } });
  });

  it('are refused with the host’s own message when a handler fails unexpectedly', async () => {
    const answer = await answerRequest(
      5,
      { type: 'previewCompression' },
      handlers({ previewCompression: () => Promise.reject(new TypeError('x is undefined')) }),
      faultOf,
    );
    assert.ok(answer.type === 'refusal');
    assert.equal(answer.fault.text, 'The preview could not be made. See the log.');
  });

  it('have answers that are validated by request type', () => {
    const item = { label: 'a.ts', detail: 'src/a.ts', what: { kind: 'file', path: 'src/a.ts' } } as const;
    assert.deepEqual(parseAnswer('completeContext', [item]).output, [item]);
    assert.ok(!parseAnswer('completeContext', [{ ...item, what: { kind: 'file' } }]).success);
    assert.ok(!parseAnswer('send', 'ok').success);
  });
});

function hit(text: string) {
  return { message: messageId('m1'), position: 0, start: 0, text };
}
