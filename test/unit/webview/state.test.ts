import assert from 'node:assert/strict';
import { messageId, nodeId, sessionId } from '../../../src/core/model/ids.ts';
import type { InitMessage } from '../../../src/protocol/messages.ts';
import type { MessageView } from '../../../src/protocol/views.ts';
import { HostLink } from '../../../src/webview/host-link.ts';
import { coverAt, LiveReply, reduce, type PageState } from '../../../src/webview/state.ts';
import { baseName, formatCounted, formatTokens } from '../../../src/webview/format.ts';
import { readTranslations, text } from '../../../src/webview/texts.ts';
import { RequestFault } from '../../../src/protocol/faults.ts';

const session = sessionId('s1');
const message = (id: string, words: string): MessageView => ({
  id: messageId(id),
  role: 'assistant',
  parts: [{ type: 'text', text: words }],
  at: 1,
});

const init: InitMessage = {
  type: 'init',
  session,
  epoch: 1,
  total: 2,
  from: 0,
  messages: [message('m0', 'a'), message('m1', 'b')],
  title: 'T',
  covers: [],
  compressions: [],
  gauge: null,
  task: null,
  sessions: [],
  model: { provider: 'local', model: 'local', label: 'Local', takesImages: false, ready: true, assumed: false },
  settings: {
    enterSends: true,
    sendWhileResponding: 'queue',
    pasteAsAttachmentAbove: 4_000,
    locale: 'en',
  },
  status: {
    replying: false,
    queue: { items: [], isHeld: false },
    compression: null,
    waiting: null,
    thinking: null,
    resetPending: false,
    offline: null,
    readOnly: null,
    foreign: false,
    unsaved: null,
    escalation: null,
  },
  draft: { text: '', attachments: [] },
  history: [],
  notice: null,
};

function opened(state: PageState) {
  assert.ok(state.phase === 'open');
  return state.session;
}

describe('the state of the page', () => {
  it('follows a reply from its start to its end', () => {
    let state = reduce({ phase: 'loading' }, init);
    state = reduce(state, {
      type: 'replyStarted',
      session,
      at: 2,
      message: { ...message('m2', ''), streaming: true },
    });
    assert.equal(opened(state).transcript.total, 3);
    assert.equal(opened(state).transcript.last?.streaming, true);
    state = reduce(state, { type: 'replyEnded', session, message: { ...message('m2', 'done'), ending: 'complete' } });
    assert.equal(opened(state).transcript.last?.ending, 'complete');
  });

  it('is left alone by what belongs to another session', () => {
    const state = reduce({ phase: 'loading' }, init);
    const other = { type: 'replyStarted', session: sessionId('s2'), at: 0, message: message('x', '') } as const;
    assert.equal(reduce(state, other), state);
  });

  it('forgets older messages when positions get new meanings', () => {
    const state = reduce({ phase: 'loading' }, init);
    const fields = { type: 'transcript', session, total: 2, from: 1, messages: [message('n1', 'c')] } as const;
    assert.equal(opened(reduce(state, { ...fields, epoch: 1 })).transcript.at(0)?.id, 'm0');
    assert.equal(opened(reduce(state, { ...fields, epoch: 2 })).transcript.at(0), undefined);
  });

  it('knows which summary stands for a message', () => {
    const covers = [
      { node: nodeId('a'), title: 'A', from: 0, to: 9, level: 'brief' as const },
      { node: nodeId('b'), title: 'B', from: 12, to: 20, level: 'detailed' as const },
    ];
    assert.equal(coverAt(covers, 0)?.node, 'a');
    assert.equal(coverAt(covers, 9)?.node, 'a');
    assert.equal(coverAt(covers, 10), undefined);
    assert.equal(coverAt(covers, 12)?.node, 'b');
    assert.equal(coverAt(covers, 21), undefined);
  });
});

describe('the text of an arriving reply', () => {
  it('takes what follows, overwrites what was sent twice, and refuses a gap', () => {
    const live = new LiveReply(messageId('m'), 'ab');
    assert.equal(live.add(2, 'cd'), true);
    assert.equal(live.add(3, 'De'), true);
    assert.equal(live.text, 'abcDe');
    assert.equal(live.add(9, 'x'), false);
    assert.equal(live.text, 'abcDe');
  });
});

describe('the line to the host', () => {
  const opening = () => {
    const posted: unknown[] = [];
    const link = new HostLink({ postMessage: (sent) => posted.push(sent) });
    return { posted, link };
  };

  it('brings an answer to its question, and a refusal as a typed fault', async () => {
    const { posted, link } = opening();
    const recall = link.request('recall', { query: 'port' });
    const fork = link.request('fork', { message: messageId('m') });
    assert.deepEqual(posted[0], { type: 'request', id: 1, body: { type: 'recall', query: 'port' } });
    assert.equal(
      link.receive({ type: 'refusal', id: 2, ok: false, fault: { reason: 'busy', text: 'A reply is arriving.' } }),
      undefined,
    );
    link.receive({ type: 'answer', id: 1, ok: true, value: [] });
    assert.deepEqual(await recall, []);
    await assert.rejects(fork, (error) => RequestFault.is(error, 'busy'));
  });

  it('drops what breaks the contract, and says so to the log without its content', () => {
    const { posted, link } = opening();
    assert.equal(link.receive({ type: 'replyDelta', session: 's', id: 'm', offset: -1, text: 'secret' }), undefined);
    assert.match(JSON.stringify(posted), /pageFault.*offset/);
    assert.doesNotMatch(JSON.stringify(posted), /secret/);
  });

  it('turns an answer of the wrong shape into a fault', async () => {
    const { link } = opening();
    const recall = link.request('recall', { query: 'x' });
    link.receive({ type: 'answer', id: 1, ok: true, value: 'nonsense' });
    await assert.rejects(recall, (error) => RequestFault.is(error, 'failed'));
  });
});

describe('texts of the page', () => {
  afterEach(() => readTranslations('{}'));

  it('take the translations of the host, with values in their order', () => {
    readTranslations(JSON.stringify({ 'Branch {0} of {1}': 'Zweig {0} von {1}' }));
    assert.equal(text('Branch {0} of {1}', 2, 3), 'Zweig 2 von 3');
    assert.equal(text('Send'), 'Send');
  });

  it('say one otherwise than several', () => {
    assert.equal(formatCounted(1, '1 message → {1}', '{0} messages → {1}', text('1 summary')), '1 message → 1 summary');
    assert.equal(
      formatCounted(1200, '1 message → {1}', '{0} messages → {1}', '2 summaries'),
      '1,200 messages → 2 summaries',
    );
    assert.deepEqual([0, 1, 12_400].map(formatTokens), ['0 tokens', '1 token', '12.4K tokens']);
  });

  it('name a file and a folder by the last part of the path', () => {
    assert.deepEqual(['src/a.ts', 'a.ts', 'src/jobs/', 'c:\\x\\y.ts'].map(baseName), ['a.ts', 'a.ts', 'jobs', 'y.ts']);
  });
});
