// A writer in a process of its own. Arguments: folder, session id, window name, first message, how many (-1: until
// killed), `take-over` or `wait`. Prints one line for each event that was acknowledged, after it was.
import { writeSync } from 'node:fs';
import type { Clock } from '../../../src/app/ports.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { openLoop } from '../../support/yielders.ts';
import { openSessionStore } from '../../../src/storage/session-store.ts';

const [folder = '', id = '', window = '', first = '0', count = '-1', mode = 'wait'] = process.argv.slice(2);
const clock: Clock = {
  now: () => Date.now(),
  id: () => crypto.randomUUID(),
  yielder: openLoop(),
};
const store = openSessionStore({ folder, clock, writer: window });
const journal = await store.open(sessionId(id));
const end = count === '-1' ? Infinity : Number(first) + Number(count);

function message(n: number): SessionEvent {
  const text = `${window} says ${n} `.repeat(1 + (n % 7) * 40);
  return {
    type: 'message_added',
    message: {
      id: messageId(`${window}-${n}`),
      parent: journal.state.head,
      role: 'user',
      content: [{ type: 'text', text }],
      at: n,
    },
  };
}

for (let n = Number(first); n < end;) {
  // Batches of one to three, some of them at the same time, as a streaming reply and a user would have it.
  const batches: number[][] = [[n], [n + 1, n + 2]];
  if (n % 2 === 0) batches.pop();
  if (mode === 'take-over' && journal.readOnly !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    await journal.takeOver();
  }
  const results = await Promise.allSettled(
    batches.map(async (batch) => {
      await journal.append(...batch.map(message));
      writeSync(1, batch.map((of) => `${window}-${of}\n`).join(''));
    }),
  );
  const fault = results.find((result) => result.status === 'rejected')?.reason as unknown;
  if (fault !== undefined && !(mode === 'take-over' && StoreFault.is(fault, 'not_writer')))
    throw new Error('refused', { cause: fault });
  n += batches.flat().length;
  // Time for the other one to come in between.
  if (mode === 'take-over') await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
}
await store.close();
