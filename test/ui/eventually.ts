import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum wait for what usually takes a second or two, for busy machines. */
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
