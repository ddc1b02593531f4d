import * as v from 'valibot';
import { sessionEventSchema, type SessionEvent } from '../core/journal/schema.ts';
import { amount, count, time, type Read } from '../core/model/fields.ts';
import { messageId, type MessageId } from '../core/model/ids.ts';
import { ROLES } from '../core/model/message.ts';
import type { Steps } from '../core/pace/steps.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { JournalBodies, Place } from './message-bodies.ts';

interface Kept {
  readonly at: number;
  readonly body: SessionEvent;
}
type FoldEntry = Place | Kept;

const kept = v.object({ at: time, body: sessionEventSchema });

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

// Places are checked by hand: there are as many as messages, and reading them must cost next to nothing.
function isPlace(value: unknown): value is Place {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const fields: readonly unknown[] = value;
  const parent = fields[1];
  return (
    typeof fields[0] === 'string' &&
    (parent === 0 || parent === null || typeof parent === 'string') &&
    isIndex(fields[2]) &&
    fields[2] < ROLES.length &&
    isIndex(fields[3]) &&
    isIndex(fields[4])
  );
}

const ENTRIES_PER_STEP = 200;

function readEntries({ dataset, addIssue, NEVER }: v.RawTransformContext<unknown[]>): FoldEntry[] {
  const entries: FoldEntry[] = [];
  for (const value of dataset.value) {
    if (isPlace(value)) {
      entries.push(value);
      continue;
    }
    const event = v.safeParse(kept, value);
    if (!event.success) {
      addIssue({ message: 'neither a place nor an event' });
      return NEVER;
    }
    entries.push(event.output);
  }
  return entries;
}

/** A fold as a checkpoint keeps it. */
export const foldRecordSchema = v.object({
  entries: v.pipe(v.array(v.unknown()), v.rawTransform(readEntries)),
  replies: v.array(kept),
  /** Types of lines that were skipped: a version that knows one of them has to read the journal. */
  unknown: v.array(v.string()),
  updatedAt: time,
  spent: v.object({
    chatTokens: amount,
    chatCostUsd: amount,
    compressionTokens: amount,
    compressionCostUsd: amount,
  }),
  events: count,
  missing: count,
  repeats: count,
  damage: v.array(v.object({ offset: count, length: count, reason: v.string() })),
  order: v.object({ sums: v.string(), missing: v.array(count), void: v.array(v.string()) }),
});
export type StoredFold = Read<typeof foldRecordSchema>;

/**
 * What a state was folded from, without what it does not need any more: texts of messages stand as their places in the
 * journal, replies that have ended and single costs are left out. Folding it again gives the same state.
 */
export class FoldRecord {
  readonly entries: FoldEntry[] = [];
  readonly unknown = new Set<string>();
  readonly #replies = new Map<MessageId, Kept[]>();

  /** Parts of replies that were arriving when the journal ended. */
  get replies(): Kept[] {
    return [...this.#replies.values()].flat();
  }

  /** To be called before the event is folded into `state`. */
  add(state: SessionState, at: number, body: SessionEvent, offset: number, length: number): void {
    switch (body.type) {
      case 'message_added': {
        const { id, parent, role } = body.message;
        this.#replies.delete(id);
        this.entries.push([id, parent === state.head ? 0 : parent, ROLES.indexOf(role), offset, length]);
        return;
      }
      case 'reply_partial': {
        const parts = this.#replies.get(body.id);
        if (parts) parts.push({ at, body });
        else this.#replies.set(body.id, [{ at, body }]);
        return;
      }
      case 'usage_recorded':
        return;
      default:
        this.entries.push({ at, body });
    }
  }

  /** Folds a stored record into an empty state, and takes it over so that it can grow. */
  *restore(stored: StoredFold, state: SessionState, bodies: JournalBodies): Steps<void> {
    for (const [at, entry] of stored.entries.entries()) {
      if (at % ENTRIES_PER_STEP === 0) yield;
      this.entries.push(entry);
      if ('body' in entry) {
        state.apply(entry.body, entry.at);
        continue;
      }
      const id = messageId(entry[0]);
      const parent = entry[1];
      bodies.add(id, entry);
      const before = parent === 0 ? state.head : parent === null ? null : messageId(parent);
      state.place({ id, parent: before, role: ROLES[entry[2]]! });
    }
    for (const { at, body } of stored.replies) {
      state.apply(body, at);
      if (body.type === 'reply_partial') this.add(state, at, body, 0, 0);
    }
    for (const type of stored.unknown) this.unknown.add(type);
    state.resume(stored.updatedAt, stored.spent);
  }
}
