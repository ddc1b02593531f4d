// A plain run tries the same cases each time, so that a red run is of the change's making. The long run draws new ones;
// what they find is printed with its seed.
import fc from 'fast-check';

if (process.env.THREADKEEPER_LONG === undefined) fc.configureGlobal({ seed: 20261122 });
