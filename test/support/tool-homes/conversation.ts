import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Tool } from '../../../src/app/library/source.ts';

/** A message as it must be read. Tool calls are part of its text; other fields are set if the format contains them. */
export interface ExpectedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly at?: number;
  readonly model?: string;
  readonly usage?: object;
}

export interface ToolFixture {
  readonly tool: Tool;
  readonly format: string;
  /** Returns the session's file. */
  readonly write: (home: string) => string;
  readonly workspace?: string;
  readonly title?: string;
  readonly expected: readonly ExpectedMessage[];
  readonly compactions?: readonly string[];
}

/** The time of the fixtures' first message. */
export const START_TIME = Date.UTC(2026, 2, 2, 9);
/** The time a number of seconds after the start, as ISO 8601 text and in ms since the epoch. */
export const iso = (seconds: number): string => new Date(START_TIME + seconds * 1000).toISOString();
export const ms = (seconds: number): number => START_TIME + seconds * 1000;

/** Writes a file below a folder, and returns its path. Objects are written as JSON. */
export function putFile(home: string, name: string, content: string | object): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

export const fileOf =
  (name: string, content: string | object) =>
  (home: string): string =>
    putFile(home, name, content);

export const jsonl = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A message in a file of Claude Code. `more` adds or replaces fields of the record, and `message` of its message. */
export const claudeMessage = (
  role: 'user' | 'assistant',
  content: unknown,
  { message = {}, ...more }: { readonly message?: object; readonly [field: string]: unknown } = {},
): object => ({
  ...{ type: role, sessionId: 's', timestamp: iso(0), message: { role, content, ...message } },
  ...more,
});

/** Creates an SQLite database with tables and their rows, and returns its path. */
export function database(
  home: string,
  name: string,
  statements: string,
  rows: Readonly<Record<string, readonly (readonly (string | number | Uint8Array | null)[])[]>>,
): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const store = new DatabaseSync(file);
  store.exec(statements);
  for (const [table, values] of Object.entries(rows)) {
    for (const row of values)
      store.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
  }
  store.close();
  return file;
}

export const databaseOf =
  (...[name, statements, rows]: Tail<Parameters<typeof database>>) =>
  (home: string): string =>
    database(home, name, statements, rows);
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

/** Writes Zed's database with one thread. */
export const zedThread = (home: string, thread: object): string =>
  database(
    home,
    '.local/share/zed/threads/threads.db',
    'CREATE TABLE threads (id TEXT, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id TEXT)',
    { threads: [['z', '', iso(0), 'json', JSON.stringify(thread), '']] },
  );

/** The tables of opencode 1. */
export const OPENCODE_TABLES =
  'CREATE TABLE session (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
  'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);' +
  'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);';

export const ASKED = 'Where is the port set? 端口在哪里 🚢';
export const ANSWERED = 'In config.ts, line 3.';
export const ARGS = { path: 'config.ts' };
export const OUTPUT = 'export const port = 8080;';
export const OPENAI_CALL = {
  ...{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: JSON.stringify(ARGS) } },
};
export const CALL = `read_file ${JSON.stringify(ARGS)}`;
export const text = (words: string) => ({ type: 'text', text: words });
export const WILL_LOOK = text('I will look.');
export const SUMMARY = 'The port is 8080.';
/** The folder of most fixtures, and their title. */
export const IN_API = { workspace: '/home/sam/api' };
export const TITLED = { ...IN_API, title: 'The port' };
export const USAGE = { input: 120, output: 30, cachedInput: 100 };

/** The same small conversation in every format, with everything that the format can express. */
export const expectedConversation = (facts: {
  readonly at?: readonly [number, number, number, number];
  readonly model?: string;
  readonly usage?: object;
  readonly call?: string;
}): ExpectedMessage[] => {
  const { at, model, usage, call = CALL } = facts;
  const moment = (index: 0 | 1 | 2 | 3): object => (at ? { at: ms(at[index]) } : {});
  const by = model === undefined ? {} : { model };
  return [
    { role: 'user', text: ASKED, ...moment(0) },
    { role: 'assistant', text: `I will look.\n${call}`, ...moment(1), ...by },
    { role: 'tool', text: OUTPUT, ...moment(2) },
    { role: 'assistant', text: ANSWERED, ...moment(3), ...by, ...(usage && { usage }) },
  ];
};

export const event = (type: string, second: number, data: object): object => ({
  type,
  data,
  id: `e${second}`,
  timestamp: iso(second),
  parentId: null,
});
const COPILOT = { sessionId: 'copilot-1', version: 1 };
export const copilotEvents = [
  event('session.start', 0, { ...COPILOT, producer: 'copilot-agent', context: { cwd: '/home/sam/api' } }),
  event('session.model_change', 0, { newModel: 'gpt-5-mini' }),
  event('user.message', 1, { content: ASKED, attachments: [] }),
  event('assistant.turn_start', 1, { turnId: '1' }),
  event('assistant.message', 2, {
    messageId: 'm1',
    content: 'I will look.',
    toolRequests: [{ toolCallId: 'c1', name: 'read_file', arguments: JSON.stringify(ARGS), type: 'function' }],
  }),
  event('tool.execution_start', 2, { toolCallId: 'c1', toolName: 'read_file', arguments: ARGS }),
  event('tool.execution_complete', 3, { toolCallId: 'c1', success: true, result: { content: OUTPUT } }),
  event('assistant.message', 4, { messageId: 'm2', content: ANSWERED, toolRequests: [] }),
];
export const copilotSaid = expectedConversation({ at: [1, 2, 3, 4], model: 'gpt-5-mini' });

export const firstAndLast = (all: readonly ExpectedMessage[]): ExpectedMessage[] => [all[0]!, all.at(-1)!];
