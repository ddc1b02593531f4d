import assert from 'node:assert/strict';
import type { MessageView } from '../../../src/protocol/views.ts';
import { plainText } from '../../../src/webview/markdown/parser.ts';
import {
  canSend,
  returnsToComposer,
  isEnter,
  joinTexts,
  isUnanswered,
  isSubmitKey,
  type KeyPress,
} from '../../../src/webview/sending.ts';
import { Transcript } from '../../../src/webview/state.ts';
import { INIT, messageView } from './init.ts';

const transcript = (...messages: readonly [MessageView['role'], string][]) =>
  Transcript.empty.replaceFrom(
    0,
    messages.map(([role, text], index) => messageView(`m${index}`, text, role)),
    messages.length,
    true,
  );

describe('a draft', () => {
  const { draft, status } = INIT;
  const attachment = { id: 'a1', kind: 'file', name: 'a.ts', tokens: 9 } as const;

  it('can be sent if it has a text or an attachment that the user chose', () => {
    const withAttachment = (more: { readonly implicit?: true }) => ({
      draft: { ...draft, attachments: [{ ...attachment, ...more }] },
      status,
    });
    assert.equal(canSend('Hello', { draft, status }), true);
    assert.equal(canSend(' \n', { draft, status }), false);
    assert.equal(canSend('', withAttachment({})), true);
    assert.equal(canSend('', withAttachment({ implicit: true })), false);
  });

  it('cannot be sent in a read-only session', () => {
    const readOnly = { text: 'This session is open in another window.', isWrittenElsewhere: true };
    assert.equal(canSend('Hello', { draft, status: { ...status, readOnly } }), false);
  });
});

describe('unsent text', () => {
  it('returns to the composer when the session is busy, storage fails, or an unexpected error occurs', () => {
    const now = transcript(['user', 'Hello'], ['assistant', 'Hi']);
    assert.equal(returnsToComposer('busy', 'Fix the test', 2, now, []), true);
    assert.equal(returnsToComposer('failed', 'Fix the test', 2, now, []), true);
    assert.equal(
      returnsToComposer('storage', 'Hello', 2, now, []),
      true,
      'the same text said earlier is another message',
    );
  });

  it('is put before text typed meanwhile, without losing either', () => {
    assert.equal(joinTexts('Fix the test', ''), 'Fix the test');
    assert.equal(joinTexts('Fix the test', 'and the build'), 'Fix the test\nand the build');
  });

  it('stays in the transcript when it was added there and only the reply failed', () => {
    const now = transcript(['user', 'Hello'], ['assistant', 'Hi'], ['user', 'Fix the test\n'], ['assistant', 'Fix']);
    assert.equal(returnsToComposer('invalid', 'Fix the test', 2, now, []), false);
  });

  it('stays in the queue when it is queued again', () => {
    const now = transcript(['user', 'Hello'], ['assistant', 'Hi']);
    assert.equal(returnsToComposer('storage', 'Fix the test', 2, now, [{ text: 'Fix the test' }]), false);
  });

  it('does not return to the composer when the request to the model fails or is cancelled', () => {
    for (const reason of ['cancelled', 'offline', 'no_key'] as const)
      assert.equal(returnsToComposer(reason, 'Hello', 0, Transcript.empty, []), false, reason);
  });
});

describe('send key', () => {
  const key = (change: Partial<KeyPress> = {}) => ({
    ...{ key: 'Enter', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, isComposing: false },
    ...change,
  });

  it('is plain Enter when so configured, and not Shift+Enter', () => {
    assert.equal(isSubmitKey(key(), true), true);
    assert.equal(isSubmitKey(key({ shiftKey: true }), true), false);
    assert.equal(isSubmitKey(key({ isComposing: true }), true), false);
    assert.equal(isSubmitKey(key({ key: 'a' }), true), false);
  });

  it('is never the Enter that confirms input-method text, in any field', () => {
    assert.equal(isEnter(key()), true);
    assert.equal(isEnter(key({ isComposing: true })), false);
    assert.equal(isEnter(key({ key: 'Escape' })), false);
  });

  it('is Ctrl+Enter or Cmd+Enter when plain Enter is not configured', () => {
    assert.equal(isSubmitKey(key(), false), false);
    assert.equal(isSubmitKey(key({ ctrlKey: true }), false), true);
    assert.equal(isSubmitKey(key({ metaKey: true }), false), true);
  });
});

describe('unanswered message', () => {
  it('is a user message with no reply after it and none arriving', () => {
    assert.equal(isUnanswered({ role: 'user' }, undefined, true, false), true);
    assert.equal(isUnanswered({ role: 'user' }, undefined, true, true), false);
    assert.equal(isUnanswered({ role: 'user' }, 'assistant', false, false), false);
    assert.equal(isUnanswered({ role: 'assistant' }, undefined, true, false), false);
    assert.equal(isUnanswered({ role: 'user' }, 'user', false, true), true, 'another message of the user follows');
  });
});

describe('reply read aloud', () => {
  it('is read without Markdown syntax', () => {
    const source = '## Plan\n\n- **First** run `npm test`,\n  see [the docs](https://a.example)\n\n```sh\nls -l\n```\n';
    assert.equal(plainText(source), 'Plan First run npm test, see the docs ls -l');
    assert.equal(plainText('![A chart](x.png) | `a`'), 'A chart | a');
    assert.equal(plainText('1. Run this:\n   ```\n   npm test\n   ```'), 'Run this: npm test');
  });
});
