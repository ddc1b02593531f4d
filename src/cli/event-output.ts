import type { KeyEvent } from '../core/model/key-event.ts';

/** A key event in the command line's output: `message` is an index; offsets are UTF-16 units of its text. */
export interface EventOutput extends Pick<
  KeyEvent,
  'kind' | 'quote' | 'start' | 'end' | 'score' | 'importance' | 'status' | 'pinned'
> {
  readonly message: number;
}

export function eventOutput(event: Omit<KeyEvent, 'message'> & { readonly message: number | string }): EventOutput {
  const { kind, quote, message, start, end, score, importance, status, pinned } = event;
  return { kind, quote, message: Number(message), start, end, score, importance, status, pinned };
}

/** A key event as one line: position, kind, status, and quote. */
export function eventLine({ kind, quote, message, status }: EventOutput): string {
  const mark = status === 'active' ? '' : ` (${status})`;
  return `${String(message).padStart(5)}  ${kind}${mark}: ${quote.replace(/\s+/g, ' ')}`;
}
