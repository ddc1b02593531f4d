// A property is tried on the same cases each time, so that a red run is of the change's making. The long run draws new
// ones; its seed is printed, and THREADKEEPER_SEED leads it again.
import fc from 'fast-check';

const isLong = process.env.THREADKEEPER_LONG !== undefined;
const given = process.env.THREADKEEPER_SEED;
const seed = given !== undefined ? Number(given) : isLong ? Date.now() % 2 ** 31 : 20261122;
if (isLong) console.log(`Properties are tried with seed ${seed}.`);
fc.configureGlobal({ seed });
