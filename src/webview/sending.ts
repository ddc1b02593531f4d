import type { RequestFaultReason } from '../protocol/faults.ts';
import type { MessageView } from '../protocol/views.ts';
import type { OpenSession, Transcript } from './state.ts';

/** Reasons for rejecting a message before it's stored, so that the user can send it again. */
const RESENDABLE: ReadonlySet<RequestFaultReason> = new Set([
  ...(['busy', 'elsewhere', 'invalid', 'read_only', 'storage', 'not_found', 'too_large', 'failed'] as const),
]);

/** The part of a `KeyboardEvent` that determines whether it submits. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'>;

/** Whether a key press is Enter, except in an input method, where Enter confirms a word. */
export const isEnter = ({ key, isComposing }: Pick<KeyPress, 'key' | 'isComposing'>): boolean =>
  key === 'Enter' && !isComposing;

/** Whether a key press submits: Ctrl+Enter or Cmd+Enter, and with `enterSends` also Enter without Shift and Alt. */
export const isSubmitKey = (event: KeyPress, enterSends: boolean): boolean =>
  isEnter(event) && (event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey && !event.altKey));

/** Whether a text can be sent with the draft's attachments. The automatic attachment alone isn't sent. */
export const canSend = (text: string, { draft, status }: Pick<OpenSession, 'draft' | 'status'>): boolean =>
  status.readOnly === null && (text.trim() !== '' || draft.attachments.some((each) => !each.implicit));

/**
 * Whether the text of a rejected message returns to the composer. It doesn't if it's in the queue or among the messages
 * from position `totalBefore`: then only the reply failed, and sending the text again would duplicate it.
 */
export function returnsToComposer(
  reason: RequestFaultReason,
  sent: string,
  totalBefore: number,
  transcript: Transcript,
  queued: readonly { readonly text: string }[],
): boolean {
  const isSent = (text: string): boolean => text.trim() === sent.trim();
  if (!RESENDABLE.has(reason) || queued.some(({ text }) => isSent(text))) return false;
  for (let position = totalBefore; position < transcript.total; position++) {
    const message = transcript.at(position);
    if (message?.role === 'user' && message.parts.some((part) => part.type === 'text' && isSent(part.text)))
      return false;
  }
  return true;
}

export const joinTexts = (...texts: readonly string[]): string => texts.filter((each) => each !== '').join('\n');

/** Adds a quote to a draft, on separate lines. */
export const withQuote = (draft: string, quoted: string): string =>
  `${draft}${draft === '' || draft.endsWith('\n') ? '' : '\n'}${quoted.replace(/^|\r?\n/g, '$&> ')}\n\n`;

/** Whether a message is the user's and has no reply. `busy`: a reply is streaming. */
export const isUnanswered = (
  { role }: Pick<MessageView, 'role'>,
  nextRole: MessageView['role'] | undefined,
  isLast: boolean,
  busy: boolean,
): boolean => role === 'user' && (isLast ? !busy : nextRole === 'user');
