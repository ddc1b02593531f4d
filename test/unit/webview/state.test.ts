import assert from 'node:assert/strict';
import { nodeId, sessionId } from '../../../src/core/model/ids.ts';
import type { MessageView } from '../../../src/protocol/views.ts';
import { baseName, formatCount, formatCounted, formatTokens, setLocale } from '../../../src/webview/format.ts';
import { summaryRangeAt, LiveReply, reduce, type PageState } from '../../../src/webview/state.ts';
import { readTranslations, text } from '../../../src/webview/texts.ts';
import { INIT, messageView } from './init.ts';

const session = sessionId('s1');
const shown = (): PageState => reduce({ type: 'loading' }, INIT);

function opened(state: PageState) {
  assert.ok(state.type === 'open');
  return state.session;
}

describe('page state', () => {
  it('tracks a reply from its start to its end', () => {
    let state = shown();
    state = reduce(state, {
      type: 'replyStarted',
      session,
      at: 2,
      message: { ...messageView('m2', ''), streaming: true },
    });
    assert.equal(opened(state).transcript.total, 3);
    assert.equal(opened(state).transcript.last?.streaming, true);
    state = reduce(state, {
      type: 'replyEnded',
      session,
      message: { ...messageView('m2', 'done'), ending: 'complete' },
    });
    assert.equal(opened(state).transcript.last?.ending, 'complete');
  });

  it('ignores messages for another session', () => {
    const state = shown();
    const other = { type: 'replyStarted', session: sessionId('s2'), at: 0, message: messageView('x', '') } as const;
    assert.equal(reduce(state, other), state);
  });

  it('drops the loaded older messages when another branch is shown or a message is deleted', () => {
    const state = shown();
    const fields = { type: 'transcript', session, total: 2, from: 1, messages: [messageView('n1', 'c')] } as const;
    assert.equal(opened(reduce(state, { ...fields, epoch: 1 })).transcript.at(0)?.id, 'm0');
    assert.equal(opened(reduce(state, { ...fields, epoch: 2 })).transcript.at(0), undefined);
  });

  it('lists each sent text once in the input history, newest last', () => {
    const sends = (state: PageState, from: number, ...messages: MessageView[]): PageState =>
      reduce(state, { type: 'transcript', session, epoch: 1, from, total: from + messages.length, messages });
    const history = (state: PageState) => opened(state).history;
    let state = reduce({ type: 'loading' }, { ...INIT, history: ['one', 'two'] });
    state = sends(state, 2, messageView('m2', 'three', 'user'));
    assert.deepEqual(history(state), ['one', 'two', 'three']);
    // The user edited the message and resent it on a new branch.
    state = sends(state, 2, messageView('n2', 'three and a half', 'user'));
    assert.deepEqual(history(state), ['one', 'two', 'three', 'three and a half']);
    state = sends(
      state,
      2,
      messageView('n2', 'three and a half', 'user'),
      messageView('n3', 'A reply.'),
      messageView('n4', 'one', 'user'),
    );
    assert.deepEqual(history(state), ['two', 'three', 'three and a half', 'one']);
  });

  it('finds the summary that covers a message', () => {
    const ranges = [
      { node: nodeId('a'), title: 'A', from: 0, to: 9, level: 'brief' as const },
      { node: nodeId('b'), title: 'B', from: 12, to: 20, level: 'detailed' as const },
    ];
    assert.equal(summaryRangeAt(ranges, 0)?.node, 'a');
    assert.equal(summaryRangeAt(ranges, 9)?.node, 'a');
    assert.equal(summaryRangeAt(ranges, 10), undefined);
    assert.equal(summaryRangeAt(ranges, 12)?.node, 'b');
    assert.equal(summaryRangeAt(ranges, 21), undefined);
  });
});

describe('text of a streaming reply', () => {
  it('appends the next text, overwrites text sent twice, and rejects a gap', () => {
    const live = new LiveReply(messageView('m', 'ab'));
    assert.equal(live.add(2, 'cd'), true);
    assert.equal(live.add(3, 'De'), true);
    assert.equal(live.text, 'abcDe');
    assert.equal(live.add(9, 'x'), false);
    assert.equal(live.text, 'abcDe');
  });
});

describe('UI texts', () => {
  afterEach(() => readTranslations('{}'));

  it('use the host’s translations with their values filled in', () => {
    readTranslations(JSON.stringify({ 'Branch {0} of {1}': 'Zweig {0} von {1}' }));
    assert.equal(text('Branch {0} of {1}', 2, 3), 'Zweig 2 von 3');
    assert.equal(text('Send'), 'Send');
  });

  it('distinguish singular and plural', () => {
    assert.equal(formatCounted(1, '1 message → {1}', '{0} messages → {1}', text('1 summary')), '1 message → 1 summary');
    assert.equal(
      formatCounted(1200, '1 message → {1}', '{0} messages → {1}', '2 summaries'),
      '1,200 messages → 2 summaries',
    );
    assert.deepEqual([0, 1, 12_400].map(formatTokens), ['0 tokens', '1 token', '12.4k tokens']);
  });

  it('format counts as in English when the editor’s locale is not recognized', () => {
    setLocale('en_US.UTF-8');
    assert.equal(formatTokens(1), '1 token');
    assert.equal(formatTokens(12_400), '12.4k tokens');
    setLocale('de');
    assert.equal(formatCount(1_200), '1.200');
    // As in the Status Bar.
    assert.equal(formatTokens(12_449), '12,4k tokens');
    setLocale('en');
  });

  it('name a file or folder by the last segment of its path', () =>
    assert.deepEqual(['src/a.ts', 'a.ts', 'src/jobs/', 'c:\\x\\y.ts'].map(baseName), ['a.ts', 'a.ts', 'jobs', 'y.ts']));
});
