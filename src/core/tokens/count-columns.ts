import type { MessageId } from '../model/ids.ts';

/** Tokens of one message: `body` with its framing, its attachments apart; `cjk` UTF-16 units of both are CJK text. */
export interface MessageCount {
  readonly body: number;
  readonly attachments: number;
  readonly cjk: number;
}

/** Stands in the column of bodies where a message has not been counted. */
const NOT_COUNTED = 0xffffffff;

/**
 * Counts as they are kept with a session: a column for each part, a row for each of its first messages in the
 * journal's order. A session has tens of thousands; as columns they are read back without touching one by one.
 */
export interface CountColumns {
  readonly encoding: string;
  readonly body: Uint32Array;
  readonly attachments: Uint32Array;
  readonly cjk: Uint32Array;
}

/** Maps a message to its row: its place among all of the session's messages, in the order of the journal. */
export interface MessageOrder {
  positionOf(id: MessageId): number | undefined;
}

export function columnsOf(encoding: string, counts: readonly (MessageCount | undefined)[]): CountColumns {
  return {
    encoding,
    body: Uint32Array.from(counts, (count) => count?.body ?? NOT_COUNTED),
    attachments: Uint32Array.from(counts, (count) => count?.attachments ?? 0),
    cjk: Uint32Array.from(counts, (count) => count?.cjk ?? 0),
  };
}

/** Columns that were kept, asked by message. */
export class KeptCounts {
  readonly #columns: CountColumns;
  readonly #order: MessageOrder;

  constructor(columns: CountColumns, order: MessageOrder) {
    this.#columns = columns;
    this.#order = order;
  }

  /** How many of the session's first messages need not be looked at, as all of them are counted. */
  settledIn(order: MessageOrder): number {
    const { body } = this.#columns;
    if (order !== this.#order) return 0;
    const open = body.indexOf(NOT_COUNTED);
    return open < 0 ? body.length : open;
  }

  get(id: MessageId): MessageCount | undefined {
    const { body, attachments, cjk } = this.#columns;
    const row = this.#order.positionOf(id) ?? body.length;
    const counted = body[row] ?? NOT_COUNTED;
    if (counted === NOT_COUNTED) return undefined;
    return { body: counted, attachments: attachments[row] ?? 0, cjk: cjk[row] ?? 0 };
  }

  delete(id: MessageId): void {
    const { body } = this.#columns;
    const row = this.#order.positionOf(id);
    if (row !== undefined && row < body.length) body[row] = NOT_COUNTED;
  }
}
