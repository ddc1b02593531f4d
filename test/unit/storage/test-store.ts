import { inEnglish, type Phrase } from '../../../src/core/text/phrase.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/app/ports.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { JOURNAL_VERSION } from '../../../src/storage/journal-line.ts';
import { FileSessionStore, type StoreOptions } from '../../../src/storage/session-store.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { sessionMessage } from '../../support/session-messages.ts';

/** In ms. */
export const HEARTBEAT_MS = 20;

/** A clock and IDs that count up; yields to the real event loop. */
export function testClock(prefix = 's'): Clock {
  let time = 1_700_000_000_000;
  let ids = 0;
  return {
    now: () => ++time,
    id: () => `${prefix}${++ids}`,
    yielder: alwaysDue(() => new Promise((resolve) => setImmediate(resolve))),
  };
}

const openStores: FileSessionStore[] = [];

/**
 * Runs `work` with a new folder. Then closes all stores that were opened with `storeIn`, and removes the folder. If both
 * `work` and closing fail, rejects with the error of `work`.
 */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'threadkeeper-'));
  const working = work(folder);
  await Promise.allSettled([working]);
  const closed = await Promise.allSettled(openStores.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const result = await working;
  for (const one of closed) if (one.status === 'rejected') throw one.reason;
  return result;
}

/** A window's store. It checks for changes and requests more often than usual. */
export function storeIn(folder: string, writer = 'w1', options: Partial<StoreOptions> = {}): FileSessionStore {
  const times = { heartbeatMs: HEARTBEAT_MS };
  const store = new FileSessionStore({ folder, clock: testClock(), writer, times, ...options });
  openStores.push(store);
  return store;
}

/** Runs `work` with a store in a new folder. */
export const inStore = <T>(work: (store: FileSessionStore, folder: string) => Promise<T>): Promise<T> =>
  inFolder((folder) => work(storeIn(folder), folder));

/** The n-th message of a simple conversation, starting with 0. */
export function messageAdded(n: number, text = `message ${n}`): SessionEvent & { type: 'message_added' } {
  return {
    type: 'message_added',
    message: sessionMessage(`m${n}`, text, {
      parent: n === 0 ? null : `m${n - 1}`,
      role: n % 2 === 0 ? 'user' : 'assistant',
      at: n,
    }),
  };
}

export function newerLine(seq: number, text = ''): string {
  const line = JSON.stringify({ v: JOURNAL_VERSION + 1, seq, at: 1, writer: 'n', body: { type: 'task_reset', text } });
  const start = line.slice(0, -1);
  return `${start},"sum":"${nativeChecksum(start)}"}\n`;
}

export function noticeText(what: Phrase | undefined): string {
  return what ? inEnglish(what) : '';
}
