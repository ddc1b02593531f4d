import type { Message } from '../model/message.ts';
import { Hash53 } from '../text/hash.ts';
import type { Breather } from '../pace/breather.ts';
import { messageText } from '../model/message.ts';

/** What compression reads of a message. */
export type SourceMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/** Asked between steps; an `AbortSignal` is one. */
export interface Cancel {
  readonly aborted: boolean;
}

/** Thrown at the next step after a cancellation; nothing has been committed. */
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

/** Characters of work between two looks at the clock: a few of these make a millisecond, even before the code is warm. */
const LOOK_CHARS = 1000;

/** Rests where the breather says that it is due, and stops where the caller has cancelled. */
export class Pace implements Breather {
  private done = 0;
  private readonly breather: Breather | undefined;
  private readonly cancel: Cancel | undefined;

  constructor(breather?: Breather, cancel?: Cancel) {
    this.breather = breather;
    this.cancel = cancel;
  }

  /** Notes `chars` of work done, and rests when it is due. @throws {Cancelled} when the caller has cancelled */
  async spent(chars: number): Promise<void> {
    if (this.isDue(chars)) await this.rest();
  }

  /** As `spent`, for loops in which waiting each time would cost more than the work: true when `rest` is due. */
  isDue(chars = LOOK_CHARS): boolean {
    this.done += chars;
    if (this.done < LOOK_CHARS) return false;
    this.done = 0;
    return this.breather?.isDue() === true;
  }

  /** Lets others run. @throws {Cancelled} when the caller has cancelled */
  async rest(): Promise<void> {
    throwIfCancelled(this.cancel);
    await this.breather?.rest();
    throwIfCancelled(this.cancel);
  }
}

/** A message is a result when a tool wrote it: by its role, or because all its blocks are results. */
export function isToolResult(message: Pick<Message, 'role' | 'content'>): boolean {
  if (message.role === 'tool') return true;
  return message.content.length > 0 && message.content.every((block) => block.type === 'tool_result');
}

/** A hash of roles and texts that tells changed sources apart: 53 bits in hexadecimal (cyrb53 by bryc, public domain). */
export function sourceHash(messages: readonly Pick<Message, 'role' | 'content' | 'attachments'>[]): string {
  const hash = new Hash53();
  for (const message of messages) {
    hash.add(message.role);
    hash.add(messageText(message));
    for (const attachment of message.attachments ?? []) hash.add(`${attachment.name}\n${attachment.text}`);
  }
  return hash.digest();
}
