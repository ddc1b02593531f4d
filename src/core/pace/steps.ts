import { yieldIfDue, type Yielder } from './yielder.ts';

/** Work in steps of about a millisecond. The same code can run synchronously or yield between steps. */
export type Steps<T> = Generator<undefined, T>;

export function runSynchronously<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs all steps, yielding when due. If `yielder.yield` rejects, the work ends and the error is thrown. */
export async function runYielding<T>(steps: Steps<T>, yielder: Yielder): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    try {
      await yieldIfDue(yielder);
    } catch (error) {
      // Lets the generator clean up.
      steps.throw(error);
      throw error;
    }
  }
}
