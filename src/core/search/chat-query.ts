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
  /** The first filter with an invalid value; `value` is empty if it's missing. */
  readonly invalid?: { readonly filter: ChatFilter; readonly value: string };
}

export const CHAT_FILTERS = ['tool', 'workspace', 'role', 'file', 'kind', 'since', 'before'] as const;
export type ChatFilter = (typeof CHAT_FILTERS)[number];

const FILTER = /(?:^|\s)(tool|workspace|role|file|kind|since|before):("[^"]*"|\S+|$)/g;
const DATE = /^\d{4}(?:-\d\d){0,2}$/;
const COMMANDS = /^\s*cmd:\s*/;

export function parseChatQuery(typed: string): ParsedChatQuery {
  const found: Partial<ParsedChatQuery> = {};
  let invalid: ParsedChatQuery['invalid'];
  const rest = typed.replace(COMMANDS, '').replace(FILTER, (_, filter: ChatFilter, quoted: string) => {
    const value = quoted.replace(/^"|"$/g, '');
    const parsed = PARSERS[filter](value);
    if (parsed === undefined) invalid ??= { filter, value };
    else Object.assign(found, { [filter]: parsed });
    return ' ';
  });
  const text = rest.replace(/\s+/g, ' ').trim();
  return { ...found, text, ...(COMMANDS.test(typed) && { commands: true }), ...(invalid && { invalid }) };
}

const asIs = (value: string): string | undefined => (value === '' ? undefined : value);

/** Parsers of the filters' values. They return undefined for an invalid value. */
const PARSERS = {
  tool: asIs,
  workspace: asIs,
  file: asIs,
  role: (value: string) => ROLES.find((role) => role === value),
  kind: (value: string) => KEY_EVENT_KINDS.find((kind) => kind === value),
  since: parseTime,
  before: parseTime,
} satisfies Record<ChatFilter, unknown>;

/** Parses a date or an ISO time to milliseconds since the epoch; undefined for other texts. */
function parseTime(value: string): number | undefined {
  // `Date.parse` also accepts other texts that begin with a number, such as "5".
  if (!/^\d{4}(?!\d)/.test(value)) return undefined;
  // Without a time, `Date.parse` would return midnight in UTC.
  const at = Date.parse(DATE.test(value) ? `${value}T00:00` : value);
  return Number.isNaN(at) ? undefined : at;
}
