import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** While the disk is full, writing is tried again after so long (ms), whatever comes meanwhile. */
const RETRY_MS = 1_000;

const UNSAVED = phrase(
  'The disk is full. New messages are held in RAM only and will be lost when you close the window. Free up disk space to save them.',
);

/** What was appended while the disk was full, in its order, until there is room for it again. */
export class MemoryTail {
  #events: SessionEvent[] = [];
  #triedAt = -Infinity;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** In words for the user; undefined when all is on disk. */
  get warning(): Phrase | undefined {
    return this.isEmpty ? undefined : UNSAVED;
  }

  /** Whether it is worth trying to write: there is always another message, and the disk is not full for each. */
  get isDue(): boolean {
    return this.isEmpty || performance.now() - this.#triedAt >= RETRY_MS;
  }

  /** What should be written now: all that is waiting, and what has just come. */
  with(events: readonly SessionEvent[]): readonly SessionEvent[] {
    return [...this.#events, ...events];
  }

  /** Folds what cannot be written. `at`: milliseconds since the epoch. */
  keep(events: readonly SessionEvent[], state: SessionState, at: number): void {
    this.#triedAt = performance.now();
    this.#events.push(...events);
    for (const event of events) state.apply(event, at);
  }

  /** All of it is on disk. */
  clear(): void {
    this.#events = [];
  }
}
