import { SharedThread, type Yielder } from '../../src/core/pace/yielder.ts';

/** Keeps this process' event loop open, as the editor's host does. */
export const openLoop = (): Yielder =>
  new SharedThread(
    () => performance.now(),
    () => new Promise((resolve) => setImmediate(resolve)),
  );

/** Rests at every chance; `onRest` may reject. */
export const alwaysDue = (onRest: () => void | Promise<void> = () => undefined): Yielder => ({
  isDue: () => true,
  yield: async () => onRest(),
});
