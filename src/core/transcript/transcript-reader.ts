import { inEnglish, phrase } from '../text/phrase.ts';
import { HEAD_UNITS, recognize, type LineImporter } from './recognize.ts';
import {
  shortened,
  TranscriptError,
  type Skipped,
  type TranscriptFormat,
  type TranscriptMessage,
  type TranscriptSink,
} from './transcript-message.ts';

/** Maximum length of a line or document, in UTF-16 units. */
const MAX_LINE_UNITS = 100_000_000;
const MAX_DOCUMENT_UNITS = 400_000_000;

/** Totals of a transcript. */
export interface TranscriptTotals {
  readonly format: TranscriptFormat;
  readonly messages: number;
  readonly skipped: readonly Skipped[];
}

/**
 * Reads a transcript from chunks and recognizes its format by content. JSONL and aider's history are read line by line,
 * regardless of their size; JSON documents and SpecStory files are collected first. `push` and `end` throw
 * `TranscriptError`.
 */
export class TranscriptReader {
  readonly #skips = new Map<string, Skipped>();
  readonly #sink: TranscriptSink;
  #found: TranscriptMessage[] = [];
  #count = 0;
  #format: TranscriptFormat | undefined;
  #lines: LineImporter | undefined;
  /** Reads a document that isn't line-delimited. */
  #readDocument: ((text: string) => void) | undefined;
  #collected: string[] = [];
  #collectedUnits = 0;
  /** Collected length at which the format is determined, or tried again. */
  #tryFormatAt = HEAD_UNITS;
  /** The chunks of the incomplete line, and their length. */
  #rest: string[] = [];
  #restUnits = 0;

  constructor() {
    this.#sink = {
      add: (message) => {
        this.#count++;
        this.#found.push(shortened(message, (reason) => this.#sink.skip(reason)));
      },
      skip: (reason) => {
        const name = inEnglish(reason);
        this.#skips.set(name, { reason, count: (this.#skips.get(name)?.count ?? 0) + 1 });
      },
    };
  }

  get format(): TranscriptFormat | undefined {
    return this.#format;
  }

  /** Adds a chunk; returns the messages that are complete. */
  push(chunk: string): readonly TranscriptMessage[] {
    if (this.#lines) this.#pushLines(chunk, this.#lines);
    else {
      this.#collected.push(chunk);
      this.#collectedUnits += chunk.length;
      if (this.#collectedUnits > MAX_DOCUMENT_UNITS)
        throw new TranscriptError(
          phrase(
            'The file is larger than {0} MB and isn’t line-delimited, so it can’t be read.',
            MAX_DOCUMENT_UNITS / 1_000_000,
          ),
        );
      if (!this.#readDocument && this.#collectedUnits >= this.#tryFormatAt) this.#determineFormat(false);
    }
    return this.#take();
  }

  /** Ends the file; returns the remaining messages. */
  end(): readonly TranscriptMessage[] {
    if (!this.#lines && !this.#readDocument) this.#determineFormat(true);
    if (this.#lines) {
      if (this.#restUnits > 0) this.#endLine(this.#lines);
      this.#lines.end();
    } else {
      this.#readDocument?.(this.#collected.join('').replace(/^\uFEFF/, ''));
      this.#collected = [];
    }
    if (this.#count === 0 && this.#skips.size > 0) {
      const reasons = this.#skipped().map(({ reason, count }) => phrase('{0} × {1}', count, reason));
      const all = reasons.reduce((before, reason) => phrase('{0}, {1}', before, reason));
      throw new TranscriptError(phrase('The file contains no readable messages. Skipped: {0}.', all));
    }
    if (this.#count === 0) throw new TranscriptError(phrase('The file contains no messages.'));
    return this.#take();
  }

  /** The totals, after `end`. */
  summary(): TranscriptTotals {
    if (!this.#format) throw new TranscriptError(phrase('The transcript wasn’t read completely.'));
    return { format: this.#format, messages: this.#count, skipped: this.#skipped() };
  }

  #skipped(): readonly Skipped[] {
    return [...this.#skips.values()];
  }

  #take(): readonly TranscriptMessage[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #pushLines(chunk: string, importer: LineImporter): void {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#rest.push(chunk.slice(from, end));
      this.#endLine(importer);
      from = end + 1;
    }
    this.#rest.push(chunk.slice(from));
    this.#restUnits += chunk.length - from;
    // Lines that are too long aren't collected.
    if (this.#restUnits > MAX_LINE_UNITS) this.#rest = [];
  }

  #endLine(importer: LineImporter): void {
    const line = this.#rest.join('');
    const isTooLong = this.#restUnits > MAX_LINE_UNITS;
    this.#rest = [];
    this.#restUnits = 0;
    if (isTooLong) this.#sink.skip(phrase('line longer than {0} MB', MAX_LINE_UNITS / 1_000_000));
    else importer.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /** Determines the format from what was collected. If that isn't enough, tries again at twice the length. */
  #determineFormat(isWhole: boolean): void {
    const head = this.#collected.join('').replace(/^\uFEFF/, '');
    this.#collected = [head];
    const chosen = recognize(head, isWhole, this.#sink);
    if (chosen === undefined) {
      this.#tryFormatAt *= 2;
      return;
    }
    if ('lines' in chosen) {
      this.#format = chosen.format;
      this.#lines = chosen.lines;
      this.#collected = [];
      this.#pushLines(head, chosen.lines);
    } else {
      this.#readDocument = (text) => {
        this.#format = chosen.whole(text);
      };
    }
  }
}

/** Reads a transcript in memory. Throws `TranscriptError`. */
export function readTranscript(text: string): TranscriptTotals & { readonly transcript: readonly TranscriptMessage[] } {
  const reader = new TranscriptReader();
  const transcript = [...reader.push(text), ...reader.end()];
  return { ...reader.summary(), transcript };
}
