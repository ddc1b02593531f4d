import { randomUUID } from 'node:crypto';
import type { Clock } from '../../app/ports.ts';
import { SharedThread } from '../../core/pace/breather.ts';

/** The machine's time and new ids, and breaks in which the extension host's thread does other work. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    id: () => randomUUID(),
    breather: new SharedThread(
      () => performance.now(),
      () => new Promise((resolve) => setImmediate(resolve)),
    ),
  };
}
