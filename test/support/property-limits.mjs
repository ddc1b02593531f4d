// What a property has found, with its seed and path, is told before the test's own limit ends it without a word: a search
// or its shrinking stops in time, and one that was not ended by then has failed.
import fc from 'fast-check';

/** The rest of a test's limit is for what it does beside its property. */
const SHARE = 0.75;

export const mochaHooks = {
  beforeEach() {
    const limit = this.currentTest?.timeout() ?? 0;
    const bounds = limit > 0 ? { interruptAfterTimeLimit: limit * SHARE, markInterruptAsFailure: true } : {};
    fc.configureGlobal({ ...fc.readConfigureGlobal(), ...bounds });
  },
};
