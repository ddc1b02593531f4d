import { correctedEvent } from '../events/correction.ts';
import type { CompressionRecord } from '../journal/schema.ts';
import type { KeyEventId, MessageId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';

/** A session's key events, including removed ones. */
export class KeyEventList {
  readonly entries = new Map<KeyEventId, KeyEvent>();
  readonly #removed = new Set<KeyEventId>();

  /** The list as if this compression were committed. */
  after(record: Pick<CompressionRecord, 'events' | 'changes'>): KeyEventList {
    const list = new KeyEventList();
    for (const [id, event] of this.entries) list.entries.set(id, event);
    for (const id of this.#removed) list.#removed.add(id);
    list.commit(record);
    return list;
  }

  add(event: KeyEvent): void {
    this.#removed.delete(event.id);
    this.entries.set(event.id, event);
  }

  commit({ events, changes }: Pick<CompressionRecord, 'events' | 'changes'>): void {
    for (const event of events) {
      const known = this.entries.get(event.id);
      // Keep pins and corrections that the user made during the compression.
      const entry = known?.pinned === true ? { ...event, pinned: true } : event;
      this.entries.set(event.id, known?.found ? correctedEvent(entry, known) : entry);
    }
    for (const { id, status, link } of changes)
      this.update(id, (known) => ({ ...known, status, ...(link && { link }) }));
  }

  update(id: KeyEventId, change: (known: KeyEvent) => KeyEvent): void {
    const known = this.entries.get(id);
    if (known) this.entries.set(id, change(known));
  }

  setRemoved(id: KeyEventId, removed: boolean): void {
    if (removed) this.#removed.add(id);
    else this.#removed.delete(id);
  }

  isRemoved(event: KeyEventId): boolean {
    return this.#removed.has(event);
  }

  /** See `SessionState.isCurrent`. Without `isOnBranch`, all messages are on the branch. */
  isCurrent(
    { status, link }: Pick<KeyEvent, 'status' | 'link'>,
    isOnBranch?: (message: MessageId) => boolean,
  ): boolean {
    if (status === 'active') return true;
    if (status === 'dropped' || link === undefined) return false;
    if (!isOnBranch && this.#removed.size === 0) return false;
    const replacement = this.entries.get(link);
    return replacement !== undefined && (this.isRemoved(link) || isOnBranch?.(replacement.message) === false);
  }
}
