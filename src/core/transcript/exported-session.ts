import { messageText, type Message } from '../model/message.ts';
import { phrase } from '../text/phrase.ts';
import { readMessage } from './session-jsonl.ts';
import type { TranscriptSink } from './transcript-message.ts';

/**
 * Reads this project's own export, in which every message names the one before it: what is kept is the branch that ends
 * at the last message, and messages of other branches are counted.
 */
export class ExportedSessionImporter {
  readonly #sink: TranscriptSink;
  readonly #messages = new Map<string, Message>();
  #last: Message | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  record(record: unknown): void {
    const message = readMessage(record);
    if (!message) {
      this.#sink.skip(phrase('invalid line in an exported session'));
      return;
    }
    if (this.#messages.has(message.id)) {
      this.#sink.skip(phrase('duplicate message'));
      return;
    }
    this.#messages.set(message.id, message);
    this.#last = message;
  }

  /** The branch that is in use shows at the end. */
  readonly isSettled = false;

  end(): void {
    const branch: Message[] = [];
    for (let one = this.#last; one; one = one.parent === null ? undefined : this.#messages.get(one.parent)) {
      branch.push(one);
      // A line that names itself, or one after it, would never end.
      this.#messages.delete(one.id);
    }
    for (const { role, content, at } of branch.reverse()) {
      const text = messageText({ content });
      const isPlain = content.length === 1 && content[0]?.type === 'text';
      this.#sink.add({ role, text, at, ...(!isPlain && { blocks: content }) });
    }
    for (let left = this.#messages.size; left > 0; left--) this.#sink.skip(phrase('message on another branch'));
    this.#messages.clear();
  }
}
