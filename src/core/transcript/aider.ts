import type { Role } from '../model/message.ts';
import { parseMoment, type TranscriptSink } from './transcript-message.ts';

const STARTED = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/;

/** True for the head of an aider `.aider.chat.history.md`. */
export function looksLikeAider(head: string): boolean {
  if (/^# aider chat started at /m.test(head)) return true;
  return (
    /^#### \S/m.test(head) && /^> (Aider v|Models?: |Git repo: |Added |Tokens: |Commit |Applied edit to )/m.test(head)
  );
}

/**
 * aider's history, line by line: `####` is what the user typed, `>` what aider and its tools printed, `# aider chat
 * started at` the start of a run, the rest the model's reply. Blank lines belong to what stands around them. A line of
 * a reply that begins with `>` (the end of an edit block does) cannot be told from a printed one, and is read as such.
 * The moment of a run's start is local time without a zone; it is read as UTC.
 */
export class AiderImporter {
  readonly #sink: TranscriptSink;
  #role: Role | undefined;
  #lines: string[] = [];
  #startedAt: number | undefined;
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
    const [role, text] = split(line, started !== undefined);
    if (role !== this.#role) {
      this.#flush();
      this.#role = role;
      this.#at = this.#startedAt;
    }
    this.#lines.push(text);
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
}

function split(line: string, isStart: boolean): [Role, string] {
  if (isStart) return ['tool', line];
  if (line.startsWith('>')) return ['tool', line.slice(line.startsWith('> ') ? 2 : 1)];
  if (line.startsWith('####')) return ['user', line.slice(line.startsWith('#### ') ? 5 : 4)];
  return ['assistant', line];
}
