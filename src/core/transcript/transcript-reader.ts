import { inEnglish, phrase } from '../text/phrase.ts';
import { HEAD_UNITS, recognize, type LineImporter } from './recognize.ts';
import {
  truncateMessage,
  TranscriptError,
  type Skipped,
  type TranscriptFormat,
  type TranscriptMessage,
  type TranscriptSink,
} from './transcript-message.ts';

/** Maximum length of a line or document, in UTF-16 units. */
const MAX_LINE_UNITS = 100_000_000;
const MAX_DOCUMENT_UNITS = 400_000_000;

export interface TranscriptTotals {
  readonly format: TranscriptFormat;
  readonly messages: number;
  readonly skipped: readonly Skipped[];
}

/**
 * Reads a transcript from chunks and determines its format from the content. JSONL and aider's history are read line by
 * line, at any size; JSON documents and SpecStory files are collected first. `push` and `end` throw `TranscriptError`.
 */
export class TranscriptReader {
  readonly #skips = new Map<string, Skipped>();
  readonly #sink: TranscriptSink;
  #messages: TranscriptMessage[] = [];
  #count = 0;
  #format: TranscriptFormat | undefined;
  #lines: LineImporter | undefined;
  /** Reads a file that isn't line-delimited. */
  #readDocument: ((text: string) => void) | undefined;
  #collected: string[] = [];
  #collectedUnits = 0;
  /** Collected UTF-16 units at which to determine the format. */
  #tryFormatAt = HEAD_UNITS;
  /** The chunks of the incomplete line, and their UTF-16 units. */
  #lineChunks: string[] = [];
  #lineUnits = 0;

  constructor() {
    this.#sink = {
      add: (message) => {
        this.#count++;
        this.#messages.push(truncateMessage(message, (reason) => this.#sink.skip(reason)));
      },
      skip: (reason) => {
        const name = inEnglish(reason);
        this.#skips.set(name, { reason, count: (this.#skips.get(name)?.count ?? 0) + 1 });
      },
    };
  }

  /** Adds a chunk, and returns the messages that it completes. */
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
    return this.#takeMessages();
  }

  /** Ends the file, and returns the remaining messages. */
  end(): readonly TranscriptMessage[] {
    if (!this.#lines && !this.#readDocument) this.#determineFormat(true);
    if (this.#lines) {
      if (this.#lineUnits > 0) this.#endLine(this.#lines);
      this.#lines.end();
    } else {
      this.#readDocument?.(this.#collected.join('').replace(/^\uFEFF/, ''));
      this.#collected = [];
    }
    if (this.#count === 0 && this.#skips.size > 0) {
      const reasons = [...this.#skips.values()].map(({ reason, count }) => phrase('{0} × {1}', count, reason));
      const all = reasons.reduce((before, reason) => phrase('{0}, {1}', before, reason));
      throw new TranscriptError(phrase('The file contains no readable messages. Skipped: {0}.', all));
    }
    if (this.#count === 0) throw new TranscriptError(phrase('The file contains no messages.'));
    return this.#takeMessages();
  }

  /** Available after `end`; throws `TranscriptError` before. */
  totals(): TranscriptTotals {
    if (!this.#format) throw new TranscriptError(phrase('The transcript wasn’t read completely.'));
    return { format: this.#format, messages: this.#count, skipped: [...this.#skips.values()] };
  }

  #takeMessages(): readonly TranscriptMessage[] {
    const found = this.#messages;
    this.#messages = [];
    return found;
  }

  #pushLines(chunk: string, importer: LineImporter): void {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#lineChunks.push(chunk.slice(from, end));
      this.#endLine(importer);
      from = end + 1;
    }
    this.#lineChunks.push(chunk.slice(from));
    this.#lineUnits += chunk.length - from;
    // Lines that are too long are skipped, so they needn't be collected.
    if (this.#lineUnits > MAX_LINE_UNITS) this.#lineChunks = [];
  }

  #endLine(importer: LineImporter): void {
    const line = this.#lineChunks.join('');
    const isTooLong = this.#lineUnits > MAX_LINE_UNITS;
    this.#lineChunks = [];
    this.#lineUnits = 0;
    if (isTooLong) this.#sink.skip(phrase('line longer than {0} MB', MAX_LINE_UNITS / 1_000_000));
    else importer.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /** Determines the format. If too little was collected, tries again at twice the length. */
  #determineFormat(isWhole: boolean): void {
    const head = this.#collected.join('').replace(/^\uFEFF/, '');
    this.#collected = [head];
    const recognized = recognize(head, isWhole, this.#sink);
    if (recognized === undefined) {
      this.#tryFormatAt *= 2;
      return;
    }
    if ('lines' in recognized) {
      this.#format = recognized.format;
      this.#lines = recognized.lines;
      this.#collected = [];
      this.#pushLines(head, recognized.lines);
    } else {
      this.#readDocument = (text) => {
        this.#format = recognized.whole(text);
      };
    }
  }
}
