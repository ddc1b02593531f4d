import type { FileHandle } from 'node:fs/promises';
import { decodeLine, type Envelope } from '../core/journal/envelope.ts';
import type { SessionEvent } from '../core/journal/event.ts';
import { SessionState } from '../core/state/session-state.ts';
import { nativeChecksum } from './checksum.ts';
import { LineOrder } from './line-order.ts';
import { MAX_LINE_BYTES, readRange, scanLines, type RawLine } from './line-scanner.ts';

/** A line that could not be trusted. `offset` and `length` are bytes of the journal. */
export interface Damage {
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
}

/** A line that counts, as it was read or written. */
export interface CountedLine {
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  /** Undefined when this version does not know the event's type. */
  readonly event: SessionEvent | undefined;
}

/** Folds a journal from disk into a state, as far as it goes, and takes it further when more has been written. */
export class JournalReader {
  readonly state = new SessionState();
  readonly order = new LineOrder();
  readonly damage: Damage[] = [];
  readonly #file: FileHandle;
  #offset = 0;
  #events = 0;
  #missing = 0;
  #repeats = 0;
  #newer = false;

  /** `from` (bytes) is where to begin when what lies before is known otherwise; the state then lacks it. */
  constructor(file: FileHandle, from = 0) {
    this.#file = file;
    this.#offset = from;
  }

  /** Bytes read so far: the start of the first line that was not complete. */
  get offset(): number {
    return this.#offset;
  }

  /** How many lines counted, those of unknown types too. */
  get events(): number {
    return this.#events;
  }

  /** How many sequence numbers nobody has seen. */
  get missing(): number {
    return this.#missing;
  }

  get repeats(): number {
    return this.#repeats;
  }

  /** True when a line is of a later version of the format. */
  get newer(): boolean {
    return this.#newer;
  }

  /** Reads what has come since the last call and returns the lines that count. */
  async readOn(): Promise<CountedLine[]> {
    const counted: CountedLine[] = [];
    for await (const lines of scanLines(this.#file, this.#offset)) {
      for (const line of lines) {
        const one = this.#take(line);
        if (one) counted.push(one);
        this.#offset = line.offset + line.length + 1;
      }
    }
    return counted;
  }

  /** True when the `length` bytes after `offset` are a whole line that lacks its newline alone. */
  async lacksNewlineAlone(length: number): Promise<boolean> {
    if (length > MAX_LINE_BYTES) return false;
    const bytes = await readRange(this.#file, this.#offset, length);
    return decodeLine(bytes.toString(), nativeChecksum).kind !== 'bad';
  }

  /** Takes up lines that this window has written at `offset` and knows to be on disk, newlines included in `bytes`. */
  adopt(lines: readonly { readonly envelope: Envelope; readonly sum: string }[], bytes: number): void {
    for (const { envelope, sum } of lines) {
      this.order.judge(envelope.seq, envelope.writer, sum);
      this.state.apply(envelope.body, envelope.at);
    }
    this.#events += lines.length;
    this.#offset += bytes;
  }

  #take({ offset, length, bytes }: RawLine): CountedLine | undefined {
    if (length === 0) return undefined;
    const text = bytes?.toString();
    const line = text === undefined ? tooLong : decodeLine(text, nativeChecksum);
    switch (line.kind) {
      case 'bad':
        this.damage.push({ offset, length, reason: line.reason });
        return undefined;
      case 'newer':
        this.#newer = true;
        return undefined;
      case 'event':
      case 'unknown': {
        const { seq, at, writer } = line.envelope;
        const before = this.order.last;
        switch (this.order.judge(seq, writer, sumOf(text ?? ''))) {
          case 'overtaken':
            return undefined;
          case 'repeat':
            this.#repeats++;
            return undefined;
          case 'gap':
            this.#missing += seq - before - 1;
            break;
          case 'late':
            this.#missing--;
            break;
          case 'next':
            break;
        }
        this.#events++;
        if (line.kind === 'unknown') return { seq, at, writer, event: undefined };
        this.state.apply(line.envelope.body, at);
        return { seq, at, writer, event: line.envelope.body };
      }
    }
  }
}

const tooLong = { kind: 'bad', reason: 'longer than any line of a journal' } as const;

/** The eight hex digits at the end of a line that was found sound. */
export function sumOf(line: string): string {
  return line.slice(-10, -2);
}
