import type { Message } from '../model/message.ts';
import { Hash53 } from '../text/hash.ts';
import type { Yielder } from '../pace/yielder.ts';
import { messageText } from '../model/message.ts';

/** The part of a message that compression reads. */
export type SourceMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/** Thrown at the next step after a cancellation, before anything is committed. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('The compression was cancelled.');
  }
}

/** Characters of work between checks of the clock: a fraction of a millisecond, even before the JIT has warmed up. */
const CHARS_PER_CLOCK_CHECK = 1000;

/** Yields to the event loop when due, and throws once the caller has canceled. */
export class Pace implements Yielder {
  private charsDone = 0;
  private readonly yielder: Yielder | undefined;
  private readonly cancel: { readonly aborted: boolean } | undefined;

  constructor(yielder?: Yielder, cancel?: { readonly aborted: boolean }) {
    this.yielder = yielder;
    this.cancel = cancel;
  }

  /** Adds `chars` of work. True if `rest` is due; synchronous, because an `await` may cost more than the work. */
  isDue(chars = CHARS_PER_CLOCK_CHECK): boolean {
    this.charsDone += chars;
    if (this.charsDone < CHARS_PER_CLOCK_CHECK) return false;
    this.charsDone = 0;
    return this.yielder?.isDue() === true;
  }

  /** Yields to the event loop. @throws {Cancelled} if the caller has canceled */
  async yield(): Promise<void> {
    this.throwIfCancelled();
    await this.yielder?.yield();
    this.throwIfCancelled();
  }

  /** @throws {Cancelled} */
  throwIfCancelled(): void {
    if (this.cancel?.aborted) throw new Cancelled();
  }
}

/** Whether a message is a tool result: by its role, or because all its blocks are tool results. */
export function isToolResult(message: Pick<Message, 'role' | 'content'>): boolean {
  if (message.role === 'tool') return true;
  return message.content.length > 0 && message.content.every((block) => block.type === 'tool_result');
}

/** A hash of roles, texts, and attachments that detects changed sources. See `textHash`. */
export function sourceHash(messages: readonly Pick<Message, 'role' | 'content' | 'attachments'>[]): string {
  const hash = new Hash53();
  for (const message of messages) {
    hash.add(message.role);
    hash.add(messageText(message));
    for (const attachment of message.attachments ?? []) hash.add(`${attachment.name}\n${attachment.text}`);
  }
  return hash.digest();
}
