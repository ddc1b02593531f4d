import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum wait, in ms. Waiting usually takes a second or two, but much longer on a busy machine. */
export const READY_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 50;

/** Repeats a check until it passes. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + READY_LIMIT_MS; ; await sleep(LOOK_EVERY_MS)) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
