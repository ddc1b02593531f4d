/** A long run tries this many times as many cases. */
const TIMES = process.env['THREADKEEPER_LONG'] ? 20 : 1;

/** Runs of a property. */
export const runs = (few: number): { numRuns: number; interruptAfterTimeLimit: number } => ({
  numRuns: few * TIMES,
  // A failure is shown after this long (ms), shrunk as far as it came.
  interruptAfterTimeLimit: 15_000 * TIMES,
});
