import { phrase } from '../text/phrase.ts';
import type { Role } from '../model/message.ts';
import { CodeFence } from './code-fence.ts';
import { parseTimestamp, type TranscriptSink } from './transcript-message.ts';

const RUN_START = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/;

/** Whether the beginning of a file is from aider's `.aider.chat.history.md`. */
export function looksLikeAider(head: string): boolean {
  if (/^# aider chat started at /m.test(head)) return true;
  return (
    /^#### \S/m.test(head) && /^> (Aider v|Models?: |Git repo: |Added |Tokens: |Commit |Applied edit to )/m.test(head)
  );
}

const EDIT_START = /^<{5,9} SEARCH\b/;
const EDIT_END = /^>{5,9} REPLACE\b/;
const REASONING_TAG = /^<(\/?)thinking-content-[\da-f]+>\s*$/;

/**
 * Reads aider's history line by line. `# aider chat started at` starts a run; its time has no time zone and is read as
 * UTC. `#### ` marks the user's input and `> ` the output of aider and its tools; other lines are the response.
 *
 * aider ends its own lines with two spaces, except inside of an output of several lines, of which only the first is
 * marked. Other lines with a mark are the model's headings and quotes. If an editor has removed the spaces, only marks
 * in a code fence or SEARCH/REPLACE block of a response are part of it.
 */
export class AiderImporter {
  readonly #sink: TranscriptSink;
  #role: Role | undefined;
  #lines: string[] = [];
  #startedAt: number | undefined;
  /** Whether aider's lines end with two spaces in this run; undefined before the first input. */
  #hasLineEnds: boolean | undefined;
  /** Whether the next line continues an output of several lines. */
  #isInOutput = false;
  readonly #fence = new CodeFence();
  #isEditing = false;
  #isReasoning = false;
  #isAfterBlank = false;
  #at: number | undefined;
  /** The newest input or response. */
  #previous: { readonly role: Role; readonly text: string } | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  line(line: string): void {
    const isAfterBlank = this.#isAfterBlank;
    this.#isAfterBlank = line.trim() === '';
    if (this.#isAfterBlank) {
      this.#lines.push('');
      return;
    }
    const startTime = RUN_START.exec(line)?.[1];
    if (startTime !== undefined) {
      this.#startedAt = parseTimestamp(`${startTime.replace(' ', 'T')}Z`);
      this.#hasLineEnds = undefined;
    }
    const [role, text] = this.#classify(line, startTime !== undefined, isAfterBlank);
    const isNextInput = role === 'user' && isAfterBlank && this.#hasLineEnds === true;
    if (role !== this.#role || startTime !== undefined || isNextInput) {
      this.flush();
      if (startTime !== undefined) this.#previous = undefined;
      this.#role = role;
      this.#at = this.#startedAt;
    }
    if (role === 'assistant') this.#responseLine(line);
    else this.#lines.push(text);
  }

  flush(): void {
    const text = this.#lines.join('\n').trim();
    const role = this.#role;
    this.#lines = [];
    this.#fence.close();
    this.#isEditing = false;
    this.#isReasoning = false;
    if (text === '' || !role) return;
    if (role === 'user' && this.#isRepeated(text)) return this.#sink.skip(phrase('duplicate message'));
    if (role !== 'tool') this.#previous = { role, text };
    this.#sink.add({ role, text, ...(this.#at !== undefined && { at: this.#at }) });
  }

  /** Whether aider repeats a command's argument or, in architect mode, the response as an input for another model. */
  #isRepeated(input: string): boolean {
    const { role, text = '' } = this.#previous ?? {};
    return input === (role === 'assistant' ? text : /^\/\S+\s+([^]*)/.exec(text)?.[1]);
  }

  #classify(line: string, isRunStart: boolean, isAfterBlank: boolean): readonly [Role, string] {
    const isInOutput = this.#isInOutput && !isRunStart;
    this.#isInOutput = false;
    if (isRunStart) return ['tool', line];
    const isEnded = line.endsWith('  ');
    const isInput = /^####(?:\s|$)/.test(line);
    // An answer to a question of aider, which it also writes as output.
    if (isInput && line.includes(' (Y)es/(N)o') && line.includes(']:')) return ['tool', withoutMark(line)];
    const isOutput = /^>(?:\s|$)/.test(line);
    if (isInput) this.#hasLineEnds ??= isEnded;
    if (this.#hasLineEnds === false) {
      if (!isEnded && this.#isInBlock) return ['assistant', line];
      return isInput ? ['user', withoutMark(line)] : isOutput ? ['tool', withoutMark(line)] : ['assistant', line];
    }
    if (isInput && isEnded) return ['user', withoutMark(line)];
    // Except for the token usage after a response, an output of several lines directly follows another line of aider.
    const isDirect = !isAfterBlank && this.#role !== 'assistant';
    const mayStart = isEnded || isDirect || this.#hasLineEnds === undefined || line.startsWith('> Tokens: ');
    const isMarked = isOutput && mayStart && !(isInOutput && this.#hasLineEnds);
    if (!isMarked && !isInOutput && !(isDirect && this.#role === 'tool')) return ['assistant', line];
    this.#isInOutput = !isEnded;
    return ['tool', isMarked ? withoutMark(line) : withoutLineEnd(line)];
  }

  get #isInBlock(): boolean {
    return this.#isEditing || this.#fence.isOpen;
  }

  #responseLine(line: string): void {
    const [tag, slash] = REASONING_TAG.exec(line) ?? [];
    if (tag !== undefined) {
      this.#isReasoning = slash === '';
      if (this.#isReasoning) this.#sink.skipReasoning();
    } else if (!this.#isReasoning) {
      this.#lines.push(line);
      this.#trackBlock(line);
    }
  }

  #trackBlock(line: string): void {
    if (this.#isEditing) this.#isEditing = !EDIT_END.test(line);
    else if (EDIT_START.test(line)) this.#isEditing = true;
    else this.#fence.line(line);
  }
}

/** The text of a line that aider wrote, without its mark. */
const withoutMark = (line: string): string => withoutLineEnd(line.replace(/^(?:####|>)\s?/, ''));

const withoutLineEnd = (text: string): string => (text.trim() === '' ? '' : text.replace(/ {2}$/, ''));
