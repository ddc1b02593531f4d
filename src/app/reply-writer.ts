import type { MessageId } from '../core/model/ids.ts';
import type { Clock, SessionJournal } from './ports.ts';

/** Partial text reaches the journal at least this often, so that a crash loses no more of a reply. */
export const PARTIAL_EVERY_MS = 1000;

/** Journals a reply while it arrives: the text that is new since the last write, with its offset. */
export class ReplyWriter {
  #text = '';
  #written = 0;
  #lastWrite: number;
  #pending: Promise<void> = Promise.resolve();
  #failed: unknown;
  readonly #journal: SessionJournal;
  readonly #clock: Clock;
  readonly #reply: { readonly id: MessageId; readonly parent: MessageId | null; readonly model: string };

  constructor(
    journal: SessionJournal,
    clock: Clock,
    reply: { readonly id: MessageId; readonly parent: MessageId | null; readonly model: string },
  ) {
    this.#journal = journal;
    this.#clock = clock;
    this.#reply = reply;
    this.#lastWrite = clock.now();
  }

  get text(): string {
    return this.#text;
  }

  /** The first write that failed, if one did; the reply goes on in memory meanwhile. */
  get failure(): unknown {
    return this.#failed;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#clock.now() - this.#lastWrite >= PARTIAL_EVERY_MS) this.flush();
  }

  /** What has come so far is not part of the reply, on disk neither. */
  restart(): void {
    const wasWritten = this.#written > 0;
    this.#text = '';
    this.#written = 0;
    if (wasWritten) this.#write(0, '');
  }

  /** Starts writing what is not yet on disk. */
  flush(): void {
    if (this.#written === this.#text.length) return;
    const offset = this.#written;
    const text = this.#text.slice(offset);
    this.#written = this.#text.length;
    this.#lastWrite = this.#clock.now();
    this.#write(offset, text);
  }

  #write(offset: number, text: string): void {
    this.#pending = this.#pending
      .then(() => this.#journal.append({ type: 'reply_partial', ...this.#reply, offset, text }))
      .catch((error: unknown) => {
        this.#failed ??= error;
      });
  }

  /** Resolves when every write that was started has ended. */
  settled(): Promise<void> {
    return this.#pending;
  }
}
