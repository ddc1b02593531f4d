// Stops a property before Mocha's timeout, which would end the test without printing the counterexample, its seed, and
// its path. A property that is stopped has failed.
import fc from 'fast-check';

/** The share of a test's timeout for its property. The rest is for everything else that the test does. */
const SHARE = 0.75;

export const mochaHooks = {
  beforeEach() {
    const limit = this.currentTest?.timeout() ?? 0;
    const bounds = limit > 0 ? { interruptAfterTimeLimit: limit * SHARE, markInterruptAsFailure: true } : {};
    fc.configureGlobal({ ...fc.readConfigureGlobal(), ...bounds });
  },
};
