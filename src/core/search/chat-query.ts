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
  /** In milliseconds since the epoch. */
  readonly since?: number;
  /** In milliseconds since the epoch. */
  readonly before?: number;
  /** Whether to search shell commands. */
  readonly commands?: true;
}

const FILTER = /(?:^|\s)(tool|workspace|role|file|kind|since|before):("[^"]*"|\S+)/g;
const DATE = /^\d{4}(?:-\d\d){0,2}$/;
const COMMANDS = /^\s*cmd:\s*/;

/** Parses a query. A filter with an invalid value is treated as a word. */
export function parseChatQuery(typed: string): ParsedChatQuery {
  const found: { -readonly [Key in keyof ParsedChatQuery]: ParsedChatQuery[Key] } = { text: '' };
  const isCommands = COMMANDS.test(typed);
  const rest = typed.replace(COMMANDS, '').replace(FILTER, (whole, name: string, quoted: string) => {
    const value = quoted.replace(/^"|"$/g, '');
    switch (name) {
      case 'role': {
        const role = ROLES.find((one) => one === value);
        if (!role) return whole;
        found.role = role;
        return ' ';
      }
      case 'kind': {
        const kind = KEY_EVENT_KINDS.find((one) => one === value);
        if (!kind) return whole;
        found.kind = kind;
        return ' ';
      }
      case 'since':
      case 'before': {
        // A date without a time would be midnight in UTC.
        const at = Date.parse(DATE.test(value) ? `${value}T00:00` : value);
        // Other texts that begin with a number, such as "5", are parsed as dates, too.
        if (Number.isNaN(at) || !/^\d{4}(?!\d)/.test(value)) return whole;
        found[name] = at;
        return ' ';
      }
      case 'tool':
      case 'workspace':
      case 'file':
        found[name] = value;
        return ' ';
      default:
        return whole;
    }
  });
  return { ...found, text: rest.replace(/\s+/g, ' ').trim(), ...(isCommands && { commands: true }) };
}
