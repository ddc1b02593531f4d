import type { SupersededEvent } from '../app/library/chat-events.ts';
import type { ChatHit } from '../app/library/chat-index.ts';
import type { ListedChat } from '../app/library/chat-library-calls.ts';
import type { KeptSession } from '../app/library/library-store.ts';
import { TOOL_NAMES } from '../app/library/source.ts';
import { recordSection } from '../app/record-section.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Role } from '../core/model/message.ts';
import { Redactor } from '../core/redact/redact.ts';
import { neutralizeTags, plainName } from '../core/text/prompt-sections.ts';
import { withSpeaker } from '../core/text/speakers.ts';
import { withoutTerminalCodes } from '../core/text/terminal-codes.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';

// Renders the tools' results as text for a model. All text of chats is in a section that this text can't close.

/**
 * Maximum length of the quotes in a result, in bytes of UTF-8: about 8,000 tokens in English, and fewer tokens than
 * bytes in any language. By default, Codex cuts the middle out of results of more than 40,000 bytes, and Claude Code
 * doesn't show those of more than 25,000 tokens.
 */
const MAX_BYTES = 31_000;

const mask = (text: string): string => new Redactor().redact(withoutTerminalCodes(text));

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function chatLabel({ key, entry }: ListedChat): string {
  const folder = entry.workspace === undefined ? '' : `, ${plainName(entry.workspace)}`;
  return `session ${key} “${plainName(mask(entry.title))}” (${TOOL_NAMES[entry.tool]}${folder})`;
}

/** Quotes as text, and the number of those that fit. */
export interface Quotes {
  readonly text: string;
  readonly shown: number;
}

function quotesSection(quotes: readonly string[], separator: string): Quotes {
  let left = MAX_BYTES;
  const end = quotes.findIndex((quote) => (left -= Buffer.byteLength(quote + separator)) < 0);
  const shown = end === -1 ? quotes.length : end;
  return { text: recordSection(quotes.slice(0, shown).join(separator)), shown };
}

/** A search result in a chat, and the superseded key events of its message. */
export interface ChatQuote extends ChatHit {
  readonly chat: KeptSession;
  readonly superseded: readonly SupersededEvent<AttributedEvent>[];
}

/** Search results, each with its session, date, and message, and with the later quotes that superseded parts of it. */
export function renderHits(hits: readonly ChatQuote[]): Quotes {
  const quotes = hits.map(({ chat, message, role, at = chat.entry.updatedAt, text, superseded }) => {
    const label = `[${chatLabel(chat)}, ${day(at)}, message ${message}, ${role}]`;
    const shown = neutralizeTags(withoutTerminalCodes(text));
    const later = superseded.flatMap(({ event, by }) => {
      const quote = neutralizeTags(mask(event.quote));
      if (!shown.includes(quote)) return [];
      return [`(“${quote}” is superseded by message ${by.message}, ${by.role}: “${neutralizeTags(mask(by.quote))}”)`];
    });
    return [label, shown, ...later].join('\n');
  });
  return quotesSection(quotes, '\n\n');
}

export function renderChats(chats: readonly ListedChat[]): Quotes {
  const lines = chats.map((chat) => {
    const { entry, relation, isGone } = chat;
    return [
      `- ${day(entry.updatedAt)}`,
      chatLabel(chat),
      `${entry.messages} ${entry.messages === 1 ? 'message' : 'messages'}`,
      relation && `${RELATIONS[relation.kind]} ${plainName(relation.of)}`,
      isGone && 'deleted by its tool, only the copy is left',
    ]
      .filter(Boolean)
      .join(', ');
  });
  return quotesSection(lines, '\n');
}

const RELATIONS = {
  copy: 'a copy of',
  subagent: 'a subagent of',
  continued: 'continues',
  fork: 'has the same beginning as',
} as const;

/** A key event with the role and time (ms since the epoch) of its message. The message's ID is its index. */
export interface AttributedEvent extends KeyEvent {
  readonly role: Role;
  readonly at?: number | undefined;
}

export function renderEvents(
  found: readonly { readonly chat: ListedChat; readonly events: readonly AttributedEvent[] }[],
): Quotes {
  const quotes = found.flatMap(({ chat, events }, index) => {
    const lines = events.map((event) => {
      const { kind, message, role, at = chat.entry.updatedAt, quoted = false, about } = event;
      const quote = withSpeaker(event.speaker, event.quote);
      const what = quoted ? `${kind}, in words that the ${role} quoted` : kind;
      const answered = about ? ` (answers: “${neutralizeTags(mask(about.quote))}”)` : '';
      return `- [message ${message}, ${role}] ${day(at)}, ${what}: ${neutralizeTags(mask(quote))}${answered}`;
    });
    const label = `${index === 0 ? '' : '\n'}${chatLabel(chat)}:\n`;
    return lines.map((line, at) => (at === 0 ? label + line : line));
  });
  return quotesSection(quotes, '\n');
}

/**
 * The messages from `from` to `to` (inclusive) that fit. The first begins at the UTF-16 `offset` as shown. `next`: the
 * message at which the text was cut, if it was, and the UTF-16 offset in its text as shown.
 */
export function renderMessages(
  chat: ListedChat,
  messages: readonly TranscriptMessage[],
  { from, to, offset }: { readonly from: number; readonly to: number; readonly offset: number },
) {
  const parts: string[] = [`${chatLabel(chat)}:`];
  let left = MAX_BYTES - Buffer.byteLength(parts[0]!);
  for (let at = from; at <= to; at++) {
    const { role, at: time, text } = messages[at]!;
    const start = at === from ? offset : 0;
    const head = `[message ${at}, ${role}]${time === undefined ? '' : ` ${day(time)}`}${start > 0 ? ` from character ${start}` : ''}\n`;
    const rest = neutralizeTags(mask(text)).slice(start);
    left -= Buffer.byteLength(`${head}\n\n`);
    const shown = beginningOf(rest, left);
    // Don't show only a few characters of a message.
    if ((left < 0 || shown.length < rest.length) && left < MIN_EXCERPT_BYTES && at > from)
      return { text: recordSection(...parts), next: { from: at, offset: 0 } };
    parts.push(head + shown);
    left -= Buffer.byteLength(shown);
    if (shown.length < rest.length)
      return { text: recordSection(...parts), next: { from: at, offset: start + shown.length } };
  }
  return { text: recordSection(...parts), next: undefined };
}

const MIN_EXCERPT_BYTES = 200;

/** The beginning of a text with at most `maxBytes` bytes in UTF-8. */
function beginningOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return text.slice(0, read);
}
