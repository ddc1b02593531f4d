import { renderSummaries } from '../context/render.ts';
import type { ContentBlock, Role } from '../model/message.ts';
import type { Narrative } from './narrative.ts';
import type { SourceMessage } from './source.ts';

/** One message of what would be sent. */
export interface SentMessage {
  readonly role: Role;
  readonly content: string | readonly ContentBlock[];
}

/** What is sent, in order: each run of messages that is told stands where its first message stood. */
export function assembleSent(
  messages: readonly SourceMessage[],
  isSent: (at: number) => boolean,
  newestUser: number,
  ledger: string,
  told: Narrative,
): SentMessage[] {
  const sent: SentMessage[] = [];
  const starts = new Set(told.sent.map(({ from }) => from));
  let quoted = ledger;
  let next = 0;
  for (let at = 0; at < messages.length; at++) {
    if (isSent(at)) {
      sent.push(asSent(messages[at]!));
      continue;
    }
    if (!starts.has(at)) continue;
    const block = told.sent.slice(next).filter(({ from }) => at > newestUser || from < newestUser || newestUser < 0);
    next += block.length;
    const text = [quoted, renderSummaries(block)].filter((part) => part !== '').join('\n');
    quoted = '';
    if (text !== '') sent.push({ role: 'system', content: text });
    at = block.at(-1)?.to ?? at;
  }
  return sent;
}

export function asSent({ role, content }: SourceMessage): SentMessage {
  const only = content.length === 1 ? content[0] : undefined;
  return { role, content: only?.type === 'text' ? only.text : content };
}

export function blocks(content: SentMessage['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
