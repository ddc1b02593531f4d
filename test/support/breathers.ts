import { SharedThread, type Breather } from '../../src/core/pace/breather.ts';

/** Keeps this process' event loop open, as the editor's host does. */
export const openLoop = (): Breather =>
  new SharedThread(
    () => performance.now(),
    () => new Promise((resolve) => setImmediate(resolve)),
  );

/** Rests at every chance; `onRest` may reject. */
export const alwaysDue = (onRest: () => void | Promise<void> = () => undefined): Breather => ({
  isDue: () => true,
  rest: async () => onRest(),
});
