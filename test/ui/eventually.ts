import { setTimeout as sleep } from 'node:timers/promises';

/** What takes a second or two takes this long on a machine that is busy with other things. */
export const READY_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 50;

/** Makes a check again until it passes: what an act brings about is seen a moment after it. */
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
