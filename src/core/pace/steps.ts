import { breathe, type Breather } from './breather.ts';

/** Work in steps of a millisecond or so: the same code runs at once, or lets others run between the steps. */
export type Steps<T> = Generator<undefined, T>;

/** Takes all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Takes all steps, resting when it is due. What `breather.rest` rejects with ends the work and is thrown on. */
export async function resting<T>(steps: Steps<T>, breather: Breather): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    try {
      await breathe(breather);
    } catch (error) {
      // Lets what was begun put itself in order.
      steps.throw(error);
      throw error;
    }
  }
}
