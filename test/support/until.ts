import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
/** Longer than any test may take (240 s). */
const MAX_LOOKS = 30_000;

/** Waits until `condition` is true. Gives up after the test's time limit, so that the run can end. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await condition()); looks++) {
    if (looks === MAX_LOOKS) throw new Error('it never came to be');
    await pause(LOOK_EVERY_MS);
  }
}
