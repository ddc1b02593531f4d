import type { Message } from '../model/message.ts';
import { Hash53 } from '../text/hash.ts';
import type { Breather } from '../pace/breather.ts';
import { messageText } from '../model/message.ts';

/** The part of a message that compression reads. */
export type SourceMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/** Checked between steps; an `AbortSignal`, for example. */
export interface Cancel {
  readonly aborted: boolean;
}

/** Thrown at the next step after a cancellation, before anything is committed. */
export class Cancelled extends Error {
  constructor() {
    super('The compression was cancelled.');
    this.name = 'Cancelled';
  }
}

/** @throws {Cancelled} */
export function throwIfCancelled(cancel: Cancel | undefined): void {
  if (cancel?.aborted) throw new Cancelled();
}

/** Characters of work between checks of the clock: a fraction of a millisecond, even before the JIT has warmed up. */
const LOOK_CHARS = 1000;

/** Yields when it's due, and throws when the caller has canceled. */
export class Pace implements Breather {
  private done = 0;
  private readonly breather: Breather | undefined;
  private readonly cancel: Cancel | undefined;

  constructor(breather?: Breather, cancel?: Cancel) {
    this.breather = breather;
    this.cancel = cancel;
  }

  /** Adds `chars` of work, and yields if it's due. @throws {Cancelled} if the caller has canceled */
  async spent(chars: number): Promise<void> {
    if (this.isDue(chars)) await this.rest();
  }

  /** Like `spent`, but synchronous, for loops in which an `await` costs more than the work: true if `rest` is due. */
  isDue(chars = LOOK_CHARS): boolean {
    this.done += chars;
    if (this.done < LOOK_CHARS) return false;
    this.done = 0;
    return this.breather?.isDue() === true;
  }

  /** Yields to the event loop. @throws {Cancelled} if the caller has canceled */
  async rest(): Promise<void> {
    throwIfCancelled(this.cancel);
    await this.breather?.rest();
    throwIfCancelled(this.cancel);
  }
}

/** Whether a message is a tool result: by its role, or because all its blocks are tool results. */
export function isToolResult(message: Pick<Message, 'role' | 'content'>): boolean {
  if (message.role === 'tool') return true;
  return message.content.length > 0 && message.content.every((block) => block.type === 'tool_result');
}

/** A hash of roles and texts that detects changed sources: 53 bits in hexadecimal (cyrb53 by bryc, public domain). */
export function sourceHash(messages: readonly Pick<Message, 'role' | 'content' | 'attachments'>[]): string {
  const hash = new Hash53();
  for (const message of messages) {
    hash.add(message.role);
    hash.add(messageText(message));
    for (const attachment of message.attachments ?? []) hash.add(`${attachment.name}\n${attachment.text}`);
  }
  return hash.digest();
}
