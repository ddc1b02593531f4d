/** A long run tries this many times as many cases. */
const TIMES = process.env['THREADKEEPER_LONG'] ? 20 : 1;

/** Runs of a property. */
export const runs = (few: number): { numRuns: number } => ({ numRuns: few * TIMES });
