// A writer in a separate process. Arguments: folder, session ID, window name, first message, number of messages (-1:
// until killed), `take-over` or `wait`. Prints a line for each acknowledged event.
import { writeSync } from 'node:fs';
import type { Clock } from '../../../src/app/ports.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { eventLoopYielder } from '../../support/yielders.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';

const [folder = '', id = '', window = '', first = '0', count = '-1', mode = 'wait'] = process.argv.slice(2);
const clock: Clock = { now: () => Date.now(), id: () => crypto.randomUUID(), yielder: eventLoopYielder() };
const store = new FileSessionStore({ folder, clock, writer: window, times: { heartbeatMs: 100 } });
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
  // Batches of one to three, some of them concurrent, like a streaming reply and a user's actions.
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
  // Time for the other window to interfere.
  if (mode === 'take-over') await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
}
await store.close();
