import { SharedThread, type Yielder } from '../../src/core/pace/yielder.ts';

/** Keeps this process's event loop running, like VS Code's host. */
export const eventLoopYielder = (): Yielder =>
  new SharedThread(
    () => performance.now(),
    () => new Promise((resolve) => setImmediate(resolve)),
  );

/** Yields at every opportunity, and then calls `onYield`, which may reject. */
export const alwaysDue = (onYield: () => void | Promise<void> = () => undefined): Yielder => ({
  isDue: () => true,
  yield: async () => onYield(),
});
