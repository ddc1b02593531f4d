// Tests properties with the same cases in each run, so that only a change can make them fail. A long run uses new cases
// and prints its seed, with which THREADKEEPER_SEED repeats it.
import fc from 'fast-check';

const isLong = process.env.THREADKEEPER_LONG !== undefined;
const given = process.env.THREADKEEPER_SEED;
const seed = given !== undefined ? Number(given) : isLong ? Date.now() % 2 ** 31 : 20261122;
if (isLong) console.log(`Testing properties with seed ${seed}.`);
fc.configureGlobal({ seed });
