import type { ChatHit } from '../app/library/chat-index.ts';
import type { ListedChat } from '../app/library/chat-library-calls.ts';
import { TOOL_NAMES } from '../app/library/source.ts';
import { recordSection } from '../app/recalled-text.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Role } from '../core/model/message.ts';
import { Redactor } from '../core/redact/redact.ts';
import { neutralizeTags, plainName } from '../core/text/prompt-sections.ts';
import { truncate } from '../core/text/truncate.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';

// The results of the tools as text for a model. Everything that was said in a chat is in a section that it can't close.

const mask = (text: string): string => new Redactor().redact(text);

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A chat's key, title, tool, and folder. */
function chatLabel({ key, entry }: ListedChat): string {
  const folder = entry.workspace === undefined ? '' : `, ${plainName(entry.workspace)}`;
  return `session ${key} “${plainName(mask(entry.title))}” (${TOOL_NAMES[entry.tool]}${folder})`;
}

/** Search results, each with its session, date, and message. */
export function renderHits(hits: readonly (ChatHit & { readonly chat: ListedChat })[]): string {
  const quotes = hits.map(
    ({ chat, message, role, at = chat.entry.updatedAt, text }) =>
      `[${chatLabel(chat)}, ${day(at)}, message ${message}, ${role}]\n${neutralizeTags(text)}`,
  );
  return recordSection(...quotes);
}

/** A list of chats, one per line. */
export function renderChats(chats: readonly ListedChat[]): string {
  const lines = chats.map((chat) => {
    const { entry, relation, isGone } = chat;
    const notes = [
      ...(relation ? [`${RELATIONS[relation.kind]} ${plainName(relation.of)}`] : []),
      ...(isGone ? ['deleted by its tool, only the copy is left'] : []),
    ];
    return [`- ${day(entry.updatedAt)}`, chatLabel(chat), `${entry.messages} messages`, ...notes].join(', ');
  });
  return recordSection(lines.join('\n'));
}

const RELATIONS = {
  copy: 'a copy of',
  subagent: 'a subagent of',
  continued: 'continues',
  fork: 'has the same beginning as',
} as const;

/** A key event, with the role and time (ms since the epoch) of its message, which it names by index. */
export interface SaidEvent extends KeyEvent {
  readonly role: Role;
  readonly at?: number | undefined;
}

/** Key events by chat. */
export function renderEvents(
  found: readonly { readonly chat: ListedChat; readonly events: readonly SaidEvent[] }[],
): string {
  const parts = found.map(({ chat, events }) => {
    const lines = events.map(({ kind, message, role, at = chat.entry.updatedAt, quote, quoted = false, about }) => {
      const what = quoted ? `${kind}, in words that the ${role} quoted` : kind;
      const answered = about ? ` (answers: “${neutralizeTags(mask(about.quote))}”)` : '';
      return `- [message ${message}, ${role}] ${day(at)}, ${what}: ${neutralizeTags(mask(quote))}${answered}`;
    });
    return `${chatLabel(chat)}:\n${lines.join('\n')}`;
  });
  return recordSection(...parts);
}

/** Messages of a chat, and where they continue if they don't fit. */
export interface Excerpt {
  readonly text: string;
  /** Index of the message at which the text was cut, and the UTF-16 offset in its masked text. */
  readonly next?: { readonly from: number; readonly offset: number };
}

/**
 * The messages from `from` to `to` (inclusive), in at most about `maxUnits` UTF-16 units. The first one begins at
 * `offset`, in UTF-16 units of its masked text.
 */
export function renderMessages(
  chat: ListedChat,
  messages: readonly TranscriptMessage[],
  { from, to, offset }: { readonly from: number; readonly to: number; readonly offset: number },
  maxUnits: number,
): Excerpt {
  const parts: string[] = [`${chatLabel(chat)}:`];
  let left = maxUnits - parts[0]!.length;
  for (let at = from; at <= to; at++) {
    const { role, at: time, text } = messages[at]!;
    const start = at === from ? offset : 0;
    const head = `[message ${at}, ${role}]${time === undefined ? '' : ` ${day(time)}`}${start > 0 ? ` from character ${start}` : ''}\n`;
    const rest = mask(text).slice(start);
    const room = left - head.length;
    // A few characters of a message are of no use.
    if (rest.length > room && room < MIN_EXCERPT_UNITS && at > from)
      return { text: recordSection(...parts), next: { from: at, offset: 0 } };
    const shown = truncate(rest, Math.max(room, MIN_EXCERPT_UNITS));
    parts.push(head + neutralizeTags(shown));
    left -= head.length + shown.length;
    if (shown.length < rest.length)
      return { text: recordSection(...parts), next: { from: at, offset: start + shown.length } };
  }
  return { text: recordSection(...parts) };
}

const MIN_EXCERPT_UNITS = 200;
