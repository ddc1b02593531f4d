import { appendingWith } from '../../support/failing-files.ts';

/** Flushing would take most of the time and only matters for power failures. */
export const unflushed = appendingWith(() => ({ flush: () => Promise.resolve() }));
