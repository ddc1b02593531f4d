import { ROLES, type Role } from '../model/message.ts';
import { KEY_EVENT_KINDS, type KeyEventKind } from '../model/key-event.ts';

/** A search over all chats: words, and filters such as `tool:codex`. */
export interface ParsedChatQuery {
  readonly text: string;
  readonly tool?: string;
  readonly workspace?: string;
  readonly role?: Role;
  readonly file?: string;
  readonly kind?: KeyEventKind;
  /** `since` and `before` are in milliseconds since the epoch. */
  readonly since?: number;
  readonly before?: number;
  /** Whether to search shell commands. */
  readonly commands?: true;
}

const FILTER = /(?:^|\s)(tool|workspace|role|file|kind|since|before):("[^"]*"|\S+)/g;
const DATE = /^\d{4}(?:-\d\d){0,2}$/;
const COMMANDS = /^\s*cmd:\s*/;

/** Parses a query. A filter with an invalid value is treated as a word. */
export function parseChatQuery(typed: string): ParsedChatQuery {
  const found: Partial<ParsedChatQuery> = {};
  const rest = typed
    .replace(COMMANDS, '')
    .replace(FILTER, (whole: string, name: keyof typeof PARSERS, quoted: string) => {
      const value = PARSERS[name](quoted.replace(/^"|"$/g, ''));
      if (value === undefined) return whole;
      Object.assign(found, { [name]: value });
      return ' ';
    });
  const text = rest.replace(/\s+/g, ' ').trim();
  return { ...found, text, ...(COMMANDS.test(typed) && { commands: true }) };
}

const asIs = (value: string): string => value;

/** Parsers of the filters' values. They return undefined for an invalid value. */
const PARSERS = {
  tool: asIs,
  workspace: asIs,
  file: asIs,
  role: (value: string) => ROLES.find((role) => role === value),
  kind: (value: string) => KEY_EVENT_KINDS.find((kind) => kind === value),
  since: parseTime,
  before: parseTime,
};

/** Parses a date or an ISO time to milliseconds since the epoch; undefined for other texts. */
export function parseTime(value: string): number | undefined {
  // `Date.parse` also accepts other texts that begin with a number, such as "5".
  if (!/^\d{4}(?!\d)/.test(value)) return undefined;
  // Without a time, `Date.parse` would return midnight in UTC.
  const at = Date.parse(DATE.test(value) ? `${value}T00:00` : value);
  return Number.isNaN(at) ? undefined : at;
}
