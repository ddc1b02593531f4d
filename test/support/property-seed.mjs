// In CI a property is tried on the same cases each time, so that a red run is of the change's making.
// Everywhere else, and in the long run, new cases are drawn each time; what they find is printed with its seed.
import fc from 'fast-check';

if (process.env.CI !== undefined && process.env.THREADKEEPER_LONG === undefined) fc.configureGlobal({ seed: 20261122 });
