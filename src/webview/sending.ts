import type { RequestFaultReason } from '../protocol/faults.ts';
import type { MessageView } from '../protocol/views.ts';
import type { Transcript } from './state.ts';

/** Reasons of rejections after which the same text can be sent again. */
const GIVEN_BACK: ReadonlySet<RequestFaultReason> = new Set([
  ...(['busy', 'elsewhere', 'invalid', 'read_only', 'storage', 'not_found', 'too_large'] as const),
]);

/** The part of a `KeyboardEvent` that determines whether it sends. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/** Whether a key press is Enter, and doesn't confirm an input method's word. */
export const isEnter = ({ key, isComposing }: Pick<KeyPress, 'key' | 'isComposing'>): boolean =>
  key === 'Enter' && !isComposing;

/** Whether a key press sends: Ctrl or Cmd with Enter always does, Enter alone depending on the settings. */
export const sends = (event: KeyPress, enterSends: boolean): boolean =>
  isEnter(event) && (event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey && !event.altKey));

/**
 * Whether a rejected text returns to the composer. Not if it's queued again, nor if it has become a message since there
 * were `before` of them, because then the reply failed, and the text would be sent twice.
 */
export function givesBack(
  reason: RequestFaultReason,
  source: string,
  before: number,
  now: Transcript,
  queued: readonly { readonly text: string }[],
): boolean {
  const isIt = (text: string): boolean => text.trim() === source.trim();
  if (!GIVEN_BACK.has(reason) || queued.some(({ text }) => isIt(text))) return false;
  for (let position = before; position < now.total; position++) {
    const message = now.at(position);
    if (message?.role === 'user' && message.parts.some((part) => part.type === 'text' && isIt(part.text))) return false;
  }
  return true;
}

/** Joins the returned text with what was written meanwhile. */
export const joined = (...texts: readonly string[]): string => texts.filter((each) => each !== '').join('\n');

/**
 * Whether a user's message has no reply: it's followed by another one of the user's or by nothing, and no reply is
 * streaming.
 */
export const isUnanswered = (
  { role }: Pick<MessageView, 'role'>,
  next: MessageView['role'] | undefined,
  isLast: boolean,
  busy: boolean,
): boolean => role === 'user' && (isLast ? !busy : next === 'user');
