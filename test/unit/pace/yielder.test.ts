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

describe('a thread shared by long-running jobs', () => {
  it('is held for a few milliseconds, then yielded for one turn of the event loop', async () => {
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

  it('is yielded once for all jobs, so that together they hold it no longer than one job', async () => {
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

  it('is not yielded without a yielder', async () => {
    await yieldIfDue(undefined);
  });
});
