import type { KeyEvent } from '../core/model/key-event.ts';

/** A key event in JSON output. `message` is an index; offsets are in UTF-16 units of its text. */
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
