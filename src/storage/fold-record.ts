import * as v from 'valibot';
import type { SessionEvent } from '../core/journal/event.ts';
import { sessionEventSchema } from '../core/journal/schema.ts';
import { messageId, type MessageId } from '../core/model/ids.ts';
import type { Role } from '../core/model/message.ts';
import type { Spent } from '../core/state/counters.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Damage } from './line-scanner.ts';
import type { StoredOrder } from './line-order.ts';
import type { JournalBodies } from './message-bodies.ts';

/** A message by its place alone: `parent` is 0 when it follows the head; `offset` and `length` are bytes of its line. */
type Place = readonly [id: string, parent: string | null | 0, role: number, offset: number, length: number];
interface Kept {
  readonly at: number;
  readonly body: SessionEvent;
}
type FoldEntry = Place | Kept;

const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const amount = v.pipe(v.number(), v.minValue(0));
const kept = v.object({ at: v.number(), body: sessionEventSchema });

// Places are checked by hand: there are as many as messages, and reading them must cost next to nothing.
function isPlace(value: unknown): value is Place {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [id, parent, role, offset, length] = value as unknown[];
  return (
    typeof id === 'string' &&
    (parent === 0 || parent === null || typeof parent === 'string') &&
    [role, offset, length].every((one) => Number.isSafeInteger(one) && Number(one) >= 0) &&
    Number(role) < ROLES.length
  );
}

/** A fold as a checkpoint keeps it. */
export interface StoredFold {
  readonly entries: readonly FoldEntry[];
  readonly replies: readonly Kept[];
  /** Types of lines that were skipped: a version that knows one of them has to read the journal. */
  readonly unknown: readonly string[];
  readonly updatedAt: number;
  readonly spent: Spent;
  readonly events: number;
  readonly missing: number;
  readonly repeats: number;
  readonly damage: readonly Damage[];
  readonly order: StoredOrder;
}

export const foldRecordSchema = v.object({
  entries: v.array(v.union([v.custom<Place>(isPlace), kept])),
  replies: v.array(kept),
  unknown: v.array(v.string()),
  updatedAt: v.number(),
  spent: v.object({
    chatTokens: amount,
    chatCostUsd: amount,
    compressionTokens: amount,
    compressionCostUsd: amount,
  }),
  events: index,
  missing: index,
  repeats: index,
  damage: v.array(v.object({ offset: index, length: index, reason: v.string() })),
  order: v.object({ sums: v.string(), missing: v.array(index), void: v.array(v.string()) }),
}) satisfies v.GenericSchema<unknown, StoredFold>;

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
  restore(stored: StoredFold, state: SessionState, bodies: JournalBodies): void {
    for (const entry of stored.entries) {
      this.entries.push(entry);
      if ('body' in entry) {
        state.apply(entry.body, entry.at);
        continue;
      }
      const [id, parent, role, offset, length] = entry;
      bodies.add(messageId(id), offset, length);
      const before = parent === 0 ? state.head : parent === null ? null : messageId(parent);
      state.place({ id: messageId(id), parent: before, role: ROLES[role]! });
    }
    for (const { at, body } of stored.replies) {
      state.apply(body, at);
      if (body.type === 'reply_partial') this.add(state, at, body, 0, 0);
    }
    for (const type of stored.unknown) this.unknown.add(type);
    state.resume(stored.updatedAt, stored.spent);
  }
}
