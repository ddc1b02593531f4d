import type { Role } from '../model/message.ts';
import { parseTimestamp, type TranscriptSink } from './transcript-message.ts';

const RUN_START = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/;

/** Whether the beginning of a file is from aider's `.aider.chat.history.md`. */
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
 * Reads aider's history line by line. `# aider chat started at` starts a run; its time has no time zone and is read as
 * UTC. `#### ` marks the user's input and `> ` the output of aider and its tools; other lines are the response. In a
 * code fence or SEARCH/REPLACE block of a response, marks are part of the block, except on a line that ends with two
 * spaces: aider wrote it after the response was cut off in the block.
 */
export class AiderImporter {
  readonly #sink: TranscriptSink;
  #role: Role | undefined;
  #lines: string[] = [];
  #startedAt: number | undefined;
  /** The opening fence of the current code block in a response, or '' outside of one. */
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
    const startTime = RUN_START.exec(line)?.[1];
    if (startTime !== undefined) this.#startedAt = parseTimestamp(`${startTime.replace(' ', 'T')}Z`);
    const [role, text] = this.#classify(line, startTime !== undefined);
    if (role === 'assistant') this.#trackBlock(line);
    else {
      this.#fence = '';
      this.#isEditing = false;
    }
    if (role !== this.#role) {
      this.flush();
      this.#role = role;
      this.#at = this.#startedAt;
    }
    this.#lines.push(text);
  }

  flush(): void {
    const text = this.#lines.join('\n').trim();
    this.#lines = [];
    if (text !== '' && this.#role) {
      this.#sink.add({ role: this.#role, text, ...(this.#at !== undefined && { at: this.#at }) });
    }
  }

  #classify(line: string, isRunStart: boolean): readonly [Role, string] {
    if (isRunStart) return ['tool', line];
    const isInBlock = (this.#isEditing || this.#fence !== '') && !line.endsWith('  ');
    if (!isInBlock && /^>\s/.test(line)) return ['tool', line.slice(2)];
    if (!isInBlock && line.startsWith('#### ')) return ['user', line.slice(5)];
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
