import type { MessageId } from '../core/model/ids.ts';
import type { MessageView } from '../protocol/views.ts';

/** Messages kept in the page; more are loaded again when they come near the view. */
const KEPT = 600;
/** Messages asked for at a time; requests start at multiples of it. */
export const PAGE = 50;

/** What the page has of the active branch: some messages by position, out of `total`. Never changed, only replaced. */
export class Transcript {
  static readonly empty = new Transcript(0, new Map());

  readonly total: number;
  readonly #messages: ReadonlyMap<number, MessageView>;
  #positions: Map<MessageId, number> | undefined;

  private constructor(total: number, messages: ReadonlyMap<number, MessageView>) {
    this.total = total;
    this.#messages = messages;
  }

  get loaded(): number {
    return this.#messages.size;
  }

  at(position: number): MessageView | undefined {
    return this.#messages.get(position);
  }

  get last(): MessageView | undefined {
    return this.#messages.get(this.total - 1);
  }

  /** Where a message stands, if the page has it. */
  positionOf(id: MessageId): number | undefined {
    if (!this.#positions) {
      this.#positions = new Map();
      for (const [position, message] of this.#messages) this.#positions.set(message.id, position);
    }
    return this.#positions.get(id);
  }

  /** Replaces everything from position `from` on. With `fresh` nothing before it is kept either. */
  replaceFrom(from: number, messages: readonly MessageView[], total: number, fresh: boolean): Transcript {
    const next = new Map<number, MessageView>();
    if (!fresh) for (const [position, message] of this.#messages) if (position < from) next.set(position, message);
    messages.forEach((message, index) => {
      if (from + index < total) next.set(from + index, message);
    });
    return new Transcript(total, next);
  }

  /** Adds older messages that were asked for; keeps those nearest to `near` when there are too many. */
  add(from: number, messages: readonly MessageView[], near: number): Transcript {
    const next = new Map(this.#messages);
    messages.forEach((message, index) => {
      if (from + index < this.total) next.set(from + index, message);
    });
    if (next.size > KEPT) {
      const byDistance = [...next.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near));
      for (const position of byDistance.slice(0, next.size - KEPT)) {
        // The end stays: it is where the next message goes, and a reply may be arriving there.
        if (position < this.total - PAGE) next.delete(position);
      }
    }
    return new Transcript(this.total, next);
  }

  /** New versions of messages that are here. */
  update(messages: readonly MessageView[]): Transcript {
    let next: Map<number, MessageView> | undefined;
    for (const message of messages) {
      const position = this.positionOf(message.id);
      if (position === undefined) continue;
      next ??= new Map(this.#messages);
      next.set(position, message);
    }
    return next ? new Transcript(this.total, next) : this;
  }

  /** The first positions of the pages that rows `from`…`to` (inclusive) need and that are not here. */
  missing(from: number, to: number): number[] {
    const pages: number[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE) * PAGE; page <= to && page < this.total; page += PAGE) {
      const end = Math.min(page + PAGE, this.total, to + 1);
      for (let position = Math.max(page, from); position < end; position++) {
        if (!this.#messages.has(position)) {
          pages.push(page);
          break;
        }
      }
    }
    return pages;
  }
}
