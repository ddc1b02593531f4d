/**
 * - `next`: the line that was expected.
 * - `gap`: lines before it are missing; what follows is read on.
 * - `late`: one of the missing lines, found further down.
 * - `repeat`: a copy of a line that was read.
 * - `overtaken`: written by a window that had lost the journal to another one and did not know yet; it was never
 *   acknowledged, and counts for nobody.
 */
export type Place = 'next' | 'gap' | 'late' | 'repeat' | 'overtaken';

/** What was judged so far. `sums`: the checksums by sequence number from 1, 32 bits each, as base64; 0 where missing. */
export interface StoredOrder {
  readonly sums: string;
  readonly missing: readonly number[];
  readonly void: readonly string[];
}

/**
 * Decides, from the order of the lines in the file alone, which of them count. Appends are atomic, so of two windows
 * that write the same sequence number the first in the file wins, and the other one's lines from there on are void:
 * every reader comes to the same answer, without a lock. See docs/adr/0004-two-windows.md.
 */
export class LineOrder {
  /** Sums that a checkpoint has kept; those of lines that came later, or were found later, are in `#sums`. */
  readonly #kept: Buffer;
  readonly #missing: ReadonlySet<number>;
  readonly #sums = new Map<number, number>();
  readonly #void: Set<string>;
  #last: number;

  constructor(stored?: StoredOrder) {
    this.#kept = Buffer.from(stored?.sums ?? '', 'base64');
    this.#missing = new Set(stored?.missing);
    this.#last = Math.floor(this.#kept.length / 4);
    this.#void = new Set(stored?.void);
  }

  /** The highest sequence number that counted; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** `sum` is the line's checksum as eight hex digits. */
  judge(seq: number, writer: string, sum: string): Place {
    if (this.#void.has(writer)) return 'overtaken';
    const value = Number.parseInt(sum, 16);
    if (seq > this.#last) {
      const place = seq === this.#last + 1 ? 'next' : 'gap';
      this.#last = seq;
      this.#sums.set(seq, value);
      return place;
    }
    const known = this.#sumOf(seq);
    if (known === undefined) {
      this.#sums.set(seq, value);
      return 'late';
    }
    if (known === value) return 'repeat';
    this.#void.add(writer);
    return 'overtaken';
  }

  /** Undefined when so much is missing that it is better read again. */
  export(): StoredOrder | undefined {
    if (this.#last > MAX_LINES) return undefined;
    const sums = Buffer.alloc(this.#last * 4);
    const missing: number[] = [];
    for (let seq = 1; seq <= this.#last; seq++) {
      const sum = this.#sumOf(seq);
      if (sum === undefined) missing.push(seq);
      else sums.writeUInt32LE(sum, (seq - 1) * 4);
    }
    return { sums: sums.toString('base64'), missing, void: [...this.#void] };
  }

  #sumOf(seq: number): number | undefined {
    const since = this.#sums.get(seq);
    if (since !== undefined || seq * 4 > this.#kept.length || this.#missing.has(seq)) return since;
    return this.#kept.readUInt32LE((seq - 1) * 4);
  }
}

/** No session comes near this; a line of another file with a high number must not take the memory for all before it. */
const MAX_LINES = 5_000_000;
