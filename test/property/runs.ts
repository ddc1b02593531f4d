/** A long run multiplies the number of cases by this. */
const TIMES = process.env['THREADKEEPER_LONG'] ? 20 : 1;

export const runs = (few: number): { numRuns: number } => ({ numRuns: few * TIMES });
