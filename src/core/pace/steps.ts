import { breathe, type Breather } from './breather.ts';

/** Work in steps of about a millisecond. The same code can run synchronously or yield between steps. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps synchronously. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs all steps, yielding when due. If `breather.rest` rejects, the work ends and the error is thrown. */
export async function resting<T>(steps: Steps<T>, breather: Breather): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    try {
      await breathe(breather);
    } catch (error) {
      // Lets the generator clean up.
      steps.throw(error);
      throw error;
    }
  }
}
