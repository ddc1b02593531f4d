import type { MessageId } from '../model/ids.ts';
import type { MessageLog, MessagePlace } from './message-log.ts';

/**
 * The tree of a session's messages and its active branch: the way from the head to the root, without what was deleted.
 * A message at the head's end costs the same at any length; a change of branch goes through the new one once.
 */
export class Branches {
  readonly #log: MessageLog;
  readonly #deleted = new Set<MessageId>();
  readonly #children = new Map<MessageId | null, MessageId[]>();
  /** For messages whose parent was not there when they came: the head of that moment. */
  readonly #bridges = new Map<MessageId, MessageId | null>();
  #head: MessageId | null = null;
  #path: MessageId[] = [];
  #position = new Map<MessageId, number>();

  constructor(log: MessageLog) {
    this.#log = log;
  }

  get head(): MessageId | null {
    return this.#head;
  }

  get path(): readonly MessageId[] {
    return this.#path;
  }

  positionOf(message: MessageId): number | undefined {
    return this.#position.get(message);
  }

  childrenOf(message: MessageId | null): readonly MessageId[] {
    return this.#children.get(message) ?? [];
  }

  isDeleted(message: MessageId): boolean {
    return this.#deleted.has(message);
  }

  setDeleted(message: MessageId, deleted: boolean): void {
    if (deleted) this.#deleted.add(message);
    else this.#deleted.delete(message);
    this.moveHead(this.#head);
  }

  /** Takes up a message that the log has just got. False when another branch is active now, or may be. */
  add({ id, parent }: MessagePlace, isNew: boolean): boolean {
    if (isNew) {
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(id);
      else this.#children.set(parent, [id]);
    }
    if (parent !== null && !this.#log.has(parent)) this.#bridges.set(id, this.#head);
    if (parent !== this.#head || !isNew) {
      this.moveHead(id);
      return false;
    }
    this.#head = id;
    this.#position.set(id, this.#path.length);
    this.#path.push(id);
    return true;
  }

  moveHead(to: MessageId | null): void {
    const path: MessageId[] = [];
    const seen = new Set<MessageId>();
    // A circle made by damage ends the branch there.
    for (let at = to; at !== null && this.#log.has(at) && !seen.has(at); at = this.#before(at)) {
      seen.add(at);
      if (!this.#deleted.has(at)) path.push(at);
    }
    this.#head = to !== null && this.#log.has(to) ? to : null;
    this.#path = path.reverse();
    this.#position = new Map(this.#path.map((id, position) => [id, position]));
  }

  /** The deleted messages from `last` back to `first`, if both lie on the active branch. */
  deletedBetween(first: MessageId, last: MessageId): MessageId[] {
    const found: MessageId[] = [];
    if (this.#deleted.size === 0 || !this.#position.has(first)) return found;
    const seen = new Set<MessageId>();
    for (let at: MessageId | null = last; at !== null && at !== first && !seen.has(at); at = this.#before(at)) {
      seen.add(at);
      if (this.#deleted.has(at)) found.push(at);
    }
    return found;
  }

  // One damaged line must not take everything before it away: where a parent is missing, the branch goes on with what
  // stood last before the gap.
  #before(id: MessageId): MessageId | null {
    const parent = this.#log.place(id)?.parent ?? null;
    return parent === null || this.#log.has(parent) ? parent : (this.#bridges.get(id) ?? null);
  }
}
