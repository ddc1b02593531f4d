import type { KeyEvent } from '../core/model/key-event.ts';

/** A key event as the command line shows it: `message` is an index, offsets are UTF-16 units into its text. */
export interface ShownEvent extends Pick<
  KeyEvent,
  'kind' | 'quote' | 'start' | 'end' | 'score' | 'importance' | 'status' | 'pinned'
> {
  readonly message: number;
}

export function shownEvent(event: Omit<KeyEvent, 'message'> & { readonly message: number | string }): ShownEvent {
  const { kind, quote, message, start, end, score, importance, status, pinned } = event;
  return { kind, quote, message: Number(message), start, end, score, importance, status, pinned };
}

/** One line for people: where, what, how it stands, and the words. */
export function eventLine({ kind, quote, message, status }: ShownEvent): string {
  const mark = status === 'active' ? '' : ` (${status})`;
  return `${String(message).padStart(5)}  ${kind}${mark}: ${quote.replace(/\s+/g, ' ')}`;
}
