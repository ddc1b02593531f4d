import type { MessageId } from '../model/ids.ts';
import { messageText, type Attachment, type ContentBlock, type Message } from '../model/message.ts';
import type { SessionState } from '../state/session-state.ts';
import { Redactor } from './redact.ts';

/**
 * All messages of a session except deleted ones, other branches first, so that adding them in order ends on the active
 * branch. The parent of a message is the nearest one that is neither deleted nor missing.
 */
export function exportedMessages(state: SessionState): Message[] {
  const others = [...state.messages.values()].filter(
    ({ id }) => state.positionOf(id) === undefined && !state.isDeleted(id),
  );
  const active = state.path.map((id) => state.messages.get(id)).filter((one) => one !== undefined);
  const messages = [...others, ...active];
  const exported = new Set(messages.map(({ id }) => id));
  const nearestExported = (id: MessageId): MessageId | null => {
    const seen = new Set<MessageId>();
    let at = state.parentOf(id);
    while (at !== null && !exported.has(at) && !seen.has(at)) {
      seen.add(at);
      at = state.parentOf(at);
    }
    return at;
  };
  return messages.map((message) => ({ ...message, parent: nearestExported(message.id) }));
}

/** Redacts secrets in a message's texts, tool calls, and attachments. Offsets of pasted ranges are adjusted. */
export function redactMessage(message: Message, redactor: Redactor): Message {
  const content = redactContent(message.content, redactor);
  const attachments = message.attachments?.map((one) => redactAttachment(one, redactor));
  const pasted = message.pasted?.map(({ start, end }) => ({
    start: redactedOffset(message, start),
    end: redactedOffset(message, end),
  }));
  return { ...message, content, ...(pasted && { pasted }), ...(attachments && { attachments }) };
}

export const redactContent = (content: readonly ContentBlock[], redactor: Redactor): readonly ContentBlock[] =>
  content.map((block) => redactBlock(block, redactor));

/** The offset in the redacted text for an offset in a message's text: the redacted length of the text before it. */
const redactedOffset = (message: Message, offset: number): number =>
  new Redactor().redact(messageText(message).slice(0, offset)).length;

function redactBlock(block: ContentBlock, redactor: Redactor): ContentBlock {
  switch (block.type) {
    case 'image':
      return block;
    case 'tool_call':
      return { ...block, json: redactor.redact(block.json) };
    case 'text':
    case 'tool_result':
      return { ...block, text: redactor.redact(block.text) };
  }
}

function redactAttachment(attachment: Attachment, redactor: Redactor): Attachment {
  const { name, text, uri } = attachment;
  return {
    ...attachment,
    name: redactor.redact(name),
    text: redactor.redact(text),
    ...(uri !== undefined && { uri: redactor.redact(uri) }),
  };
}
