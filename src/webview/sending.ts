import type { RequestFaultReason } from '../protocol/faults.ts';
import type { MessageView } from '../protocol/views.ts';
import type { Transcript } from './state.ts';

/** Refusals after which the same text may be sent again as it is. */
const GIVEN_BACK: ReadonlySet<RequestFaultReason> = new Set([
  ...(['busy', 'elsewhere', 'invalid', 'read_only', 'storage', 'not_found', 'too_large'] as const),
]);

/** What of a `KeyboardEvent` says whether it sends. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/** Whether a key press is Enter, and not the one that takes a word of an input method. */
export const isEnter = ({ key, isComposing }: Pick<KeyPress, 'key' | 'isComposing'>): boolean =>
  key === 'Enter' && !isComposing;

/** Whether a key press sends what is written: Enter alone where the settings say so, with Ctrl or Cmd always. */
export const sends = (event: KeyPress, enterSends: boolean): boolean =>
  isEnter(event) && (event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey && !event.altKey));

/**
 * Whether a refused text goes back into the composer. Not when it waits in the queue again, nor when it has become a
 * message since there were `before` of them: the reply failed then, not the sending, and the text would be sent twice.
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

/** What comes back into the composer, and what was written there meanwhile. */
export const joined = (...texts: readonly string[]): string => texts.filter((each) => each !== '').join('\n');

/** Whether a message of the user got no reply: another one of the user's follows, or nothing, and none is arriving. */
export const isUnanswered = (
  { role }: Pick<MessageView, 'role'>,
  next: MessageView['role'] | undefined,
  isLast: boolean,
  busy: boolean,
): boolean => role === 'user' && (isLast ? !busy : next === 'user');
