import assert from 'node:assert/strict';
import { yieldIfDue, SharedThread } from '../../../src/core/pace/yielder.ts';

/** A thread with a manual clock and event loop. */
function thread(): {
  shared: SharedThread;
  pass: (ms: number) => void;
  turn: () => Promise<void>;
  turns: () => number;
} {
  let now = 0;
  let asked = 0;
  let go: () => void = () => undefined;
  const shared = new SharedThread(
    () => now,
    () => {
      asked++;
      return new Promise((resolve) => (go = resolve));
    },
  );
  return {
    shared,
    pass: (ms) => (now += ms),
    turn: async () => {
      go();
      await new Promise((resolve) => setImmediate(resolve));
    },
    turns: () => asked,
  };
}

describe('a thread that long work shares', () => {
  it('is held for a few milliseconds, then given up for a turn', async () => {
    const { shared, pass, turn, turns } = thread();
    assert.equal(shared.isDue(), false);
    pass(7);
    assert.equal(shared.isDue(), false);
    await yieldIfDue(shared);
    assert.equal(turns(), 0);
    pass(1);
    assert.equal(shared.isDue(), true);
    const yielding = yieldIfDue(shared);
    await turn();
    await yielding;
    assert.equal(turns(), 1);
    assert.equal(shared.isDue(), false);
  });

  it('is given up once for all who work on it, so that they hold it together no longer than one', async () => {
    const { shared, pass, turn, turns } = thread();
    pass(20);
    const order: string[] = [];
    const first = yieldIfDue(shared).then(() => order.push('first'));
    // The time hasn't changed, but the next turn was promised to others.
    const second = yieldIfDue(shared).then(() => order.push('second'));
    assert.deepEqual(order, []);
    await turn();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    assert.equal(turns(), 1);
  });

  it('is nobody else’s where there is no yielder', async () => {
    await yieldIfDue(undefined);
  });
});
