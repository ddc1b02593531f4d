import assert from 'node:assert/strict';
import { sessionId, type SessionId } from '../../../src/core/model/ids.ts';
import { Toasts } from '../../../src/webview/toasts.ts';

describe('words at the foot of the page', () => {
  const opening = () => {
    const timers: (() => void)[] = [];
    const toasts = new Toasts(
      () => undefined,
      (run) => timers.push(run),
    );
    const words = () => toasts.shown.map((each) => each.text);
    const passTime = () => timers.splice(0).forEach((run) => run());
    return { toasts, words, passTime };
  };
  const action = { label: 'Try Again', run: () => undefined };

  it('go by themselves when they only inform', () => {
    const { toasts, words, passTime } = opening();
    toasts.tell('Copied');
    assert.deepEqual(words(), ['Copied']);
    passTime();
    assert.deepEqual(words(), []);
  });

  it('stay while they offer a way out of an error, whatever is said meanwhile', () => {
    const { toasts, words, passTime } = opening();
    toasts.tell('The provider is overloaded.', 'error', action);
    toasts.tell('Copied');
    assert.deepEqual(words(), ['The provider is overloaded.', 'Copied']);
    passTime();
    assert.deepEqual(words(), ['The provider is overloaded.']);
    toasts.settle();
    assert.deepEqual(words(), []);
  });

  it('can be dismissed', () => {
    const { toasts, words } = opening();
    toasts.tell('The key was refused.', 'error', action);
    toasts.untell(toasts.shown[0]!.id);
    assert.deepEqual(words(), []);
  });

  it('bring back every session deleted while they are shown', () => {
    const { toasts, words, passTime } = opening();
    const restored: SessionId[] = [];
    const restore = (sessions: readonly SessionId[]) => restored.push(...sessions);
    toasts.sessionDeleted(sessionId('a'), restore);
    assert.deepEqual(words(), ['Session deleted. To erase its file, run Clean Up Sessions.']);
    toasts.sessionDeleted(sessionId('b'), restore);
    assert.deepEqual(words(), ['2 sessions deleted. To erase their files, run Clean Up Sessions.']);
    toasts.shown[0]?.action?.run();
    assert.deepEqual(restored, ['a', 'b']);
    passTime();
    toasts.sessionDeleted(sessionId('c'), restore);
    assert.deepEqual(words(), ['Session deleted. To erase its file, run Clean Up Sessions.']);
  });
});
