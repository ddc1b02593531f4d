import type { Role } from '../model/message.ts';
import { parseMoment, type TranscriptSink } from './transcript-message.ts';

const STARTED = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/;

/** Whether a file begins like aider's `.aider.chat.history.md`. */
export function looksLikeAider(head: string): boolean {
  if (/^# aider chat started at /m.test(head)) return true;
  return (
    /^#### \S/m.test(head) && /^> (Aider v|Models?: |Git repo: |Added |Tokens: |Commit |Applied edit to )/m.test(head)
  );
}

const FENCE = /^(`{3,}|~{3,})([^]*)/;
const EDIT_START = /^<{5,9} SEARCH\b/;
const EDIT_END = /^>{5,9} REPLACE\b/;

/**
 * Reads aider's history line by line: `#### ` is the user's input, `> ` output of aider and its tools, `# aider chat
 * started at` starts a run, and the rest is the model's reply. Within an open code fence or SEARCH/REPLACE block of a
 * reply, these marks belong to the block, unless the line ends with two spaces: then it's aider's own, and the reply
 * was cut off. Blank lines belong to the surrounding text. The start time of a run has no time zone and is read as UTC.
 */
export class AiderImporter {
  readonly #sink: TranscriptSink;
  #role: Role | undefined;
  #lines: string[] = [];
  #startedAt: number | undefined;
  /** The fence that closes the current code block of a reply, or ''. */
  #fence = '';
  #isEditing = false;
  #at: number | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  line(line: string): void {
    if (line.trim() === '') {
      this.#lines.push('');
      return;
    }
    const started = STARTED.exec(line)?.[1];
    if (started !== undefined) this.#startedAt = parseMoment(`${started.replace(' ', 'T')}Z`);
    const [role, text] = this.#classify(line, started !== undefined);
    if (role === 'assistant') this.#trackBlock(line);
    else {
      this.#fence = '';
      this.#isEditing = false;
    }
    if (role !== this.#role) {
      this.#flush();
      this.#role = role;
      this.#at = this.#startedAt;
    }
    this.#lines.push(text);
  }

  /** A message continues until another role begins. */
  get isSettled(): boolean {
    return this.#role === undefined;
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    const text = this.#lines.join('\n').trim();
    this.#lines = [];
    if (text !== '' && this.#role) {
      this.#sink.add({ role: this.#role, text, ...(this.#at !== undefined && { at: this.#at }) });
    }
  }

  #classify(line: string, isStart: boolean): readonly [Role, string] {
    if (isStart) return ['tool', line];
    const isOfBlock = (this.#isEditing || this.#fence !== '') && !line.endsWith('  ');
    if (!isOfBlock && /^>\s/.test(line)) return ['tool', line.slice(2)];
    if (!isOfBlock && line.startsWith('#### ')) return ['user', line.slice(5)];
    return ['assistant', line];
  }

  #trackBlock(line: string): void {
    if (this.#isEditing) this.#isEditing = !EDIT_END.test(line);
    else if (EDIT_START.test(line)) this.#isEditing = true;
    else {
      const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
      if (this.#fence === '') this.#fence = marks;
      else if (info.trim() === '' && marks.startsWith(this.#fence)) this.#fence = '';
    }
  }
}
