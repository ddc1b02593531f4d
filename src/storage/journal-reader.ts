import type { FileHandle } from 'node:fs/promises';
import { decodeLine, decodeSteps } from '../core/journal/envelope.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { breathe, type Breather } from '../core/pace/breather.ts';
import { resting } from '../core/pace/steps.ts';
import { SessionState } from '../core/state/session-state.ts';
import type { WrittenLine } from './batch.ts';
import { nativeChecksum } from './checksum.ts';
import { FoldRecord, type StoredFold } from './fold-record.ts';
import { LineOrder } from './line-order.ts';
import { MAX_LINE_BYTES, readRange, scanLines, type Damage, type RawLine } from './line-scanner.ts';
import type { JournalBodies } from './message-bodies.ts';

/** A line that counts, as it was read or written. */
export interface CountedLine {
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  /** Undefined when this version does not know the event's type. */
  readonly event: SessionEvent | undefined;
}

/** A fold that a checkpoint has kept, and where its messages are read. */
export interface KnownFold {
  readonly stored: StoredFold;
  readonly bodies: JournalBodies;
}

/** Folds a journal from disk into a state, as far as it goes, and takes it further when more has been written. */
export class JournalReader {
  readonly state: SessionState;
  readonly order: LineOrder;
  readonly damage: Damage[];
  readonly #file: FileHandle;
  readonly #record = new FoldRecord();
  readonly #breather: Breather;
  #offset: number;
  #events = 0;
  #missing = 0;
  #repeats = 0;
  #newer = false;

  /** `from` says what is known of the lines before an offset, so that reading begins there. */
  constructor(file: FileHandle, breather: Breather, from?: { readonly offset: number; readonly fold?: KnownFold }) {
    this.#file = file;
    this.#breather = breather;
    this.#offset = from?.offset ?? 0;
    const fold = from?.fold;
    this.state = new SessionState(fold?.bodies);
    this.order = new LineOrder(fold?.stored.order);
    this.damage = [...(fold?.stored.damage ?? [])];
    if (!fold) return;
    this.#events = fold.stored.events;
    this.#missing = fold.stored.missing;
    this.#repeats = fold.stored.repeats;
  }

  /** A reader that goes on from a fold that was kept, as if it had read what lies before `offset` (bytes). */
  static async resume(file: FileHandle, breather: Breather, offset: number, fold: KnownFold): Promise<JournalReader> {
    const reader = new JournalReader(file, breather, { offset, fold });
    await resting(reader.#record.restore(fold.stored, reader.state, fold.bodies), breather);
    return reader;
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
        const one = await this.#take(line);
        if (one) counted.push(one);
        this.#offset = line.offset + line.length + 1;
        await breathe(this.#breather);
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

  /** Takes up lines that this window has written at `offset` and knows to be on disk, each with its newline. */
  adopt(lines: readonly WrittenLine[]): void {
    for (const { envelope, sum, length } of lines) {
      this.order.judge(envelope.seq, envelope.writer, sum);
      this.#fold(envelope.at, envelope.body, this.#offset, length);
      this.#offset += length + 1;
    }
    this.#events += lines.length;
  }

  /** What has to be known to go on from here without reading all again; undefined when that is not worth keeping. */
  export(): StoredFold | undefined {
    const order = this.order.export();
    if (!order || this.#newer) return undefined;
    const { chatTokens, chatCostUsd, compressionTokens, compressionCostUsd } = this.state.counters;
    return {
      entries: this.#record.entries,
      replies: this.#record.replies,
      unknown: [...this.#record.unknown],
      updatedAt: this.state.updatedAt,
      spent: { chatTokens, chatCostUsd, compressionTokens, compressionCostUsd },
      events: this.#events,
      missing: this.#missing,
      repeats: this.#repeats,
      damage: this.damage,
      order,
    };
  }

  #fold(at: number, event: SessionEvent, offset: number, length: number): void {
    this.#record.add(this.state, at, event, offset, length);
    this.state.apply(event, at);
  }

  async #take({ offset, length, bytes }: RawLine): Promise<CountedLine | undefined> {
    if (length === 0) return undefined;
    const text = bytes?.toString();
    const line = text === undefined ? tooLong : await resting(decodeSteps(text, nativeChecksum), this.#breather);
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
        if (seq > before + MAX_GAP) {
          this.damage.push({ offset, length, reason: 'its sequence number is out of range' });
          return undefined;
        }
        switch (this.order.judge(seq, writer, line.sum)) {
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
        if (line.kind === 'unknown') {
          this.#record.unknown.add(line.envelope.body.type);
          return { seq, at, writer, event: undefined };
        }
        this.#fold(at, line.envelope.body, offset, length);
        return { seq, at, writer, event: line.envelope.body };
      }
    }
  }
}

/** So many lines are never lost in one place; a number beyond would hide all that is written after it. */
const MAX_GAP = 1_000_000;

const tooLong = { kind: 'bad', reason: 'the line is too long' } as const;
