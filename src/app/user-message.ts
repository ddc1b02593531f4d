import type { SessionEvent } from '../core/journal/schema.ts';
import { messageId, type MessageId } from '../core/model/ids.ts';
import { messageText, type Attachment, type ImageBlock, type Message } from '../core/model/message.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { findPasted } from '../core/text/untrusted-text.ts';
import { contentOf, type TranscriptMessage } from '../core/transcript/transcript-message.ts';
import type { Clock } from './ports.ts';
import { sessionTitleFrom } from './session-title.ts';

export interface UserMessage {
  /** Its ID in the session. If absent, a new ID is created. */
  readonly id?: MessageId;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly images?: readonly ImageBlock[];
  readonly pasted?: readonly string[];
}

/** The events for a user's message: the message and, if the session has no title yet, a title from the message. */
export function userMessageEvents(sent: UserMessage, state: SessionState, clock: Clock): readonly SessionEvent[] {
  const { text, attachments = [], id = messageId(clock.id()) } = sent;
  const events: SessionEvent[] = [{ type: 'message_added', message: userMessage(sent, id, state, clock) }];
  const title = sessionTitleFrom(text.trim() === '' ? (attachments[0]?.name ?? '') : text);
  if (state.title === '' && title !== '') events.push({ type: 'session_renamed', title });
  return events;
}

/** A user's message at the end of the active branch. */
export function userMessage(
  { text, attachments = [], images = [], pasted = [] }: UserMessage,
  id: Message['id'],
  state: SessionState,
  clock: Clock,
): Message {
  const pastedSpans = findPasted(pasted, text);
  return {
    id,
    parent: state.head,
    role: 'user',
    content: [{ type: 'text', text }, ...images],
    at: clock.now(),
    ...(attachments.length > 0 && { attachments }),
    ...(pastedSpans.length > 0 && { pasted: pastedSpans }),
  };
}

/** A message of a transcript at a place in a session. */
export const transcribedMessage = (
  transcribed: TranscriptMessage,
  place: Pick<Message, 'id' | 'parent' | 'at'>,
): Message => ({
  ...place,
  role: transcribed.role,
  content: contentOf(transcribed),
  ...(transcribed.model !== undefined && { model: transcribed.model }),
  ...(transcribed.usage && { usage: transcribed.usage }),
});

/** A copy of a message with new text and the same parent, so that it starts a new branch. */
export function editedMessage(original: Message, text: string, clock: Clock): Message {
  const { pasted = [], ...others } = original;
  const before = messageText(original);
  const pastedSpans = findPasted(
    pasted.map(({ start, end }) => before.slice(start, end)),
    text,
  );
  return {
    ...others,
    ...(pastedSpans.length > 0 && { pasted: pastedSpans }),
    id: messageId(clock.id()),
    content: [{ type: 'text', text }, ...original.content.filter(({ type }) => type === 'image')],
    at: clock.now(),
  };
}
