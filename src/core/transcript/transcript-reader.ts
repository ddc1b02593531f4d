import { inEnglish, phrase } from '../text/phrase.ts';
import { AiderImporter, looksLikeAider } from './aider.ts';
import { importChatGpt, isChatGpt } from './chatgpt.ts';
import { ClaudeCodeImporter, isClaudeCode } from './claude-code.ts';
import { CodexImporter, isCodex } from './codex.ts';
import { isList, isObject, tryParse } from './json-value.ts';
import { isRoleContent, readRoleContent } from './role-content.ts';
import { importSpecStory, looksLikeSpecStory } from './specstory.ts';
import {
  TranscriptError,
  type Skipped,
  type TranscriptFormat,
  type TranscriptMessage,
  type TranscriptSink,
} from './transcript-message.ts';
import { importVsCodeChat, isVsCodeChat } from './vscode-chat.ts';

/** How much of a file is looked at before its format is decided, in UTF-16 units; a longer first line is awaited. */
const HEAD_UNITS = 1 << 16;

const KNOWN_FORMATS =
  'JSON or JSONL of {role, content}, VS Code chat exports, aider histories, SpecStory markdown, ' +
  'Claude Code and Codex sessions, and ChatGPT conversations.json';

interface LineImporter {
  line(line: string): void;
  end(): void;
}

/** What was read of a transcript in all. */
export interface TranscriptSummary {
  readonly format: TranscriptFormat;
  readonly messages: number;
  readonly skipped: readonly Skipped[];
}

/**
 * Reads a transcript from chunks of text in any cut, in a format that it recognizes by content. JSONL and aider's
 * history are read line by line, whatever their size; single JSON documents and SpecStory files are gathered first.
 * `push` and `end` throw `TranscriptError`.
 */
export class TranscriptReader {
  readonly #skips = new Map<string, Skipped>();
  readonly #sink: TranscriptSink;
  #found: TranscriptMessage[] = [];
  #count = 0;
  #format: TranscriptFormat | undefined;
  #lines: LineImporter | undefined;
  #whole: ((text: string) => void) | undefined;
  #gathered: string[] = [];
  #gatheredUnits = 0;
  #decideAt = HEAD_UNITS;
  #rest = '';

  constructor() {
    this.#sink = {
      add: (message) => {
        this.#count++;
        this.#found.push(message);
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

  /** Takes the next piece of the file; returns the messages that are complete by now. */
  push(chunk: string): readonly TranscriptMessage[] {
    if (this.#lines) this.#pushLines(chunk, this.#lines);
    else {
      this.#gathered.push(chunk);
      this.#gatheredUnits += chunk.length;
      if (!this.#whole && this.#gatheredUnits >= this.#decideAt) this.#decide(false);
    }
    return this.#take();
  }

  /** The file has ended: returns the messages that were still open. */
  end(): readonly TranscriptMessage[] {
    if (!this.#lines && !this.#whole) this.#decide(true);
    if (this.#lines) {
      if (this.#rest !== '') this.#lines.line(this.#rest);
      this.#rest = '';
      this.#lines.end();
    } else {
      this.#whole?.(this.#gathered.join('').replace(/^\uFEFF/, ''));
      this.#gathered = [];
    }
    if (this.#count === 0 && this.#skips.size > 0) {
      const reasons = this.#skipped().map(({ reason, count }) => phrase('{0} × {1}', count, reason));
      const all = reasons.reduce((before, reason) => phrase('{0}, {1}', before, reason));
      throw new TranscriptError(phrase('The file holds no messages; left out: {0}.', all));
    }
    return this.#take();
  }

  /** What was read, after `end`. */
  summary(): TranscriptSummary {
    if (!this.#format) throw new TranscriptError(phrase('The transcript was not read to its end.'));
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
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) importer.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /** Decides the format from what was gathered, or waits for twice as much. */
  #decide(isWhole: boolean): void {
    const head = this.#gathered.join('').replace(/^\uFEFF/, '');
    this.#gathered = [head];
    const chosen = recognize(head, isWhole, this.#sink);
    if (chosen === undefined) {
      this.#decideAt *= 2;
      return;
    }
    if ('lines' in chosen) {
      this.#format = chosen.format;
      this.#lines = chosen.lines;
      this.#gathered = [];
      this.#pushLines(head, chosen.lines);
    } else {
      this.#whole = (text) => {
        this.#format = chosen.whole(text);
      };
    }
  }
}

type Recognized =
  | { readonly format: TranscriptFormat; readonly lines: LineImporter }
  | { readonly whole: (text: string) => TranscriptFormat };

/** The importer for a file that begins with `head`; undefined when more of it must be seen. */
function recognize(head: string, isWhole: boolean, sink: TranscriptSink): Recognized | undefined {
  const start = head.trimStart();
  if (start === '' && isWhole) throw new TranscriptError(phrase('The file is empty.'));
  if (start.startsWith('{')) return recognizeRecords(start, isWhole, sink);
  if (/^\[\s*[{\]]/.test(start)) return { whole: (text) => importDocument(text, sink) };
  if (looksLikeSpecStory(head)) {
    return {
      whole: (text) => {
        importSpecStory(text, sink);
        return 'specstory';
      },
    };
  }
  if (looksLikeAider(head)) return { format: 'aider', lines: new AiderImporter(sink) };
  if (!isWhole && head.length < HEAD_UNITS * 16) return undefined;
  throw new TranscriptError(phrase("The file's format is not known. Known are {0}.", KNOWN_FORMATS));
}

function recognizeRecords(start: string, isWhole: boolean, sink: TranscriptSink): Recognized | undefined {
  const lines = start.split('\n');
  if (!isWhole) lines.pop();
  if (lines.length === 0) return undefined;
  const first = tryParse(lines[0]!);
  // A first line that is damaged does not hide the records after it.
  const isRecords = isObject(first) ? !isDocument(first) : lines.filter(isRecord).length * 2 >= lines.length;
  if (!isRecords) return { whole: (text) => importDocument(text, sink) };
  for (const line of lines) {
    const record = tryParse(line);
    if (isClaudeCode(record)) return { format: 'claude-code', lines: ofRecords(new ClaudeCodeImporter(sink), sink) };
    if (isCodex(record)) return { format: 'codex', lines: ofRecords(new CodexImporter(sink), sink) };
    if (isRoleContent(record)) {
      const importer = { record: (one: unknown) => readRoleContent(one, sink), end: () => undefined };
      return { format: 'messages', lines: ofRecords(importer, sink) };
    }
  }
  if (!isWhole) return undefined;
  throw new TranscriptError(
    phrase('The file is JSON, but no conversation in a known format. Known are {0}.', KNOWN_FORMATS),
  );
}

function ofRecords(importer: { record(record: unknown): void; end(): void }, sink: TranscriptSink): LineImporter {
  return {
    line(line) {
      if (line.trim() === '') return;
      const record = tryParse(line);
      if (record === undefined) sink.skip(phrase('line that is no JSON'));
      else importer.record(record);
    },
    end: () => importer.end(),
  };
}

function isRecord(line: string): boolean {
  const record = tryParse(line);
  return isClaudeCode(record) || isCodex(record) || isRoleContent(record);
}

function isDocument(value: unknown): boolean {
  return isVsCodeChat(value) || isChatGpt(value) || (isObject(value) && isList(value['messages']));
}

function importDocument(text: string, sink: TranscriptSink): TranscriptFormat {
  const value = parseDocument(text);
  if (isVsCodeChat(value)) {
    importVsCodeChat(value, sink);
    return 'vscode-chat';
  }
  if (isChatGpt(value)) {
    importChatGpt([value], sink);
    return 'chatgpt';
  }
  const list = isList(value) ? value : isObject(value) && isList(value['messages']) ? value['messages'] : undefined;
  if (list?.some(isChatGpt)) {
    importChatGpt(list, sink);
    return 'chatgpt';
  }
  if (list && (list.length === 0 || list.some(isRoleContent))) {
    if (isObject(value) && typeof value['system'] === 'string') {
      readRoleContent({ role: 'system', content: value['system'] }, sink);
    }
    for (const record of list) readRoleContent(record, sink);
    return 'messages';
  }
  if (isRoleContent(value)) {
    readRoleContent(value, sink);
    return 'messages';
  }
  throw new TranscriptError(
    phrase('The file is JSON, but no conversation in a known format. Known are {0}.', KNOWN_FORMATS),
  );
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TranscriptError(
      phrase('The file is not valid JSON: {0}.', error instanceof Error ? error.message : String(error)),
    );
  }
}

/** Reads a transcript that is in memory. Throws `TranscriptError`. */
export function readTranscript(
  text: string,
): TranscriptSummary & { readonly transcript: readonly TranscriptMessage[] } {
  const reader = new TranscriptReader();
  const transcript = [...reader.push(text), ...reader.end()];
  return { ...reader.summary(), transcript };
}
