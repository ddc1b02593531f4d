import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Source, SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { toolCall, toolResult } from '../core/transcript/content-parts.ts';
import { isObject, objectsAt, stringOf, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { parseTimestamp, type TranscriptPosition, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnJson, columnText, type Database, type Databases, type Row } from './databases.ts';
import { dataFolders, type Home } from './home-folders.ts';
import { fieldsOf, ifExists, readJson, readOptionalFields, unknownFormat } from './read-files.ts';
import { createSource, folderEntries, hasExtension, type Finder } from './session-finder.ts';
import { addOpencodeRow, isConversation, opencodeFile, opencodeUsage } from './opencode-rows.ts';

/** A message and its parts, from a database or from files. `at` is used if `data` has no time. */
interface StoredMessage {
  readonly data: JsonObject;
  readonly at?: number | undefined;
  readonly parts: readonly JsonObject[];
}

/** The database of version 1 or 2, whose name contains the release channel unless it's stable. Kilo Code is a fork. */
const DATABASE_NAME = /^(?:opencode|kilo)(?:-.+)?\.db$/;

/**
 * `opencode.db` since version 1.2; before, JSON files in `storage/session`, `storage/message`, and `storage/part`.
 * Version 2 stores its messages in another table, and continues sessions of version 1 there.
 */
export function opencode(home: Home, databases: Databases): Source {
  return createSource(
    'opencode',
    (finder) => findOpencodeSessions(finder, databases, home, 'opencode', 'OPENCODE_DB'),
    (file, sink) => readOpencodeSession(databases, file, sink),
  );
}

/** Finds the sessions of opencode, or of a fork that stores them in a folder with another name. */
export async function findOpencodeSessions(
  finder: Finder,
  databases: Databases,
  home: Home,
  folder: string,
  databaseVariable: string,
): Promise<void> {
  const roots = dataFolders(home).map((data) => path.join(data, folder));
  const databaseFiles = new Set<string>();
  for (const root of roots) {
    for (const file of await finder.findFiles(root, (name) => DATABASE_NAME.test(name))) databaseFiles.add(file);
    for (const file of await finder.findFiles(path.join(root, 'storage/session'), hasExtension('.json'), 1)) {
      const session = await readOptionalFields(file);
      const [title, workspace, parent] = ['title', 'directory', 'parentID'].map((name) => stringOf(session[name]));
      await finder.addFile(file, { title, workspace, parent });
    }
  }
  const named = home.env[databaseVariable];
  if (named && path.isAbsolute(named) && (await ifExists(stat(named)))) databaseFiles.add(path.resolve(named));
  for (const file of databaseFiles) await finder.attempt(file, () => addSessions(finder, databases, file));
}

export async function readOpencodeSession(
  databases: Databases,
  file: SourceFile,
  sink: TranscriptSink,
): Promise<undefined> {
  if (file.key === undefined) return readFromFiles(file, sink);
  const database = await databases.open(file.path);
  addMessages(messagesOf(database, file.key), revertIn(database, file.key), sink);
}

/** The sizes of sessions' messages, because a growing reply doesn't change the session's time. */
const SIZE_QUERIES = {
  part: `SELECT message.session_id AS id, sum(octet_length(part.data)) AS bytes
    FROM part JOIN message ON message.id = part.message_id GROUP BY message.session_id`,
  session_message: 'SELECT session_id AS id, sum(octet_length(data)) AS bytes FROM session_message GROUP BY session_id',
};

/** A session of version 1 that was continued in version 2 is in both tables. */
const SESSION_TABLES = ['session_v2', 'session'];

async function addSessions(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  const bytes = new Map<string, number>();
  for (const [table, query] of Object.entries(SIZE_QUERIES)) {
    if (database.columns(table).size === 0) continue;
    for (const row of database.rows(query))
      bytes.set(String(row['id']), (bytes.get(String(row['id'])) ?? 0) + Number(row['bytes']));
  }
  const tables = SESSION_TABLES.filter((table) => database.columns(table).size > 0);
  if (tables.length === 0) throw unknownFormat('opencode');
  const added = new Set<string>();
  for (const row of tables.flatMap((table) => database.rows(`SELECT * FROM ${table}`))) {
    const id = String(row['id']);
    if (added.has(id)) continue;
    added.add(id);
    const [title, workspace, parent] = ['title', 'directory', 'parent_id'].map((name) => columnText(row[name]));
    const createdAt = parseTimestamp(row['time_created'] ?? row['created_at']);
    const modifiedAt = parseTimestamp(row['time_updated'] ?? row['updated_at']);
    finder.addFromDatabase(file, { id, title, workspace, parent, createdAt }, { bytes: bytes.get(id), modifiedAt });
  }
}

/** A message, and a function that adds its parts, stopping before the one with the ID `end`. */
interface FoundMessage {
  readonly id: unknown;
  readonly at?: number | undefined;
  readonly add: (sink: TranscriptSink, end?: unknown) => void;
}

/** Adds messages up to the point in `revert`. opencode hides later ones, and deletes them with the next prompt. */
function addMessages(messages: readonly FoundMessage[], revert: JsonObject, sink: TranscriptSink): void {
  const { messageID, partID } = revert;
  let kept: { readonly position: TranscriptPosition } | undefined;
  for (const { id, add } of messages) {
    const isReverted = messageID !== undefined && id === messageID;
    if (isReverted) kept = { position: sink.position };
    add(sink, isReverted ? partID : undefined);
    if (isReverted && partID !== undefined) kept = { position: sink.position };
  }
  if (kept) sink.position = kept.position;
}

function revertIn(database: Database, session: string): JsonObject {
  for (const table of SESSION_TABLES) {
    if (!database.columns(table).has('revert')) continue;
    const [row] = database.rows(`SELECT revert FROM ${table} WHERE id = ?`, session);
    if (row) return fieldsOf(columnJson(row['revert']));
  }
  return {};
}

function messagesOf(database: Database, session: string): readonly FoundMessage[] {
  const old = database.columns('message').size === 0 ? [] : database.rows(messagesQuery(database), session);
  const rows =
    database.columns('session_message').size === 0
      ? []
      : database
          .rows('SELECT * FROM session_message WHERE session_id = ? ORDER BY seq, time_created, id', session)
          .filter(isConversation);
  // Version 2 copies messages of version 1 under the same IDs. With an experimental flag, version 1 writes each message
  // in both formats.
  const oldIds = new Set(old.map(({ id }) => id));
  const lastAt = Math.max(0, ...old.map((row) => timeOf(row) ?? 0));
  const isContinued = rows.some(({ id }) => oldIds.has(id)) || rows.every((row) => (timeOf(row) ?? 0) > lastAt);
  const added = isContinued ? rows.filter(({ id }) => !oldIds.has(id)) : [];
  const found: FoundMessage[] = [
    ...old.map((row): FoundMessage => ({
      id: row['id'],
      at: timeOf(row),
      add: (to, end) => addMessage(storedMessage(database, row), to, end),
    })),
    ...added.map((row): FoundMessage => ({ id: row['id'], at: timeOf(row), add: (to) => addOpencodeRow(row, to) })),
  ];
  if (old.length > 0 && added.length > 0) found.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return found;
}

const timeOf = (row: Row): number | undefined => parseTimestamp(row['time_created'] ?? row['created_at']);

const timeColumn = (database: Database, table: string): string | undefined =>
  ['time_created', 'created_at'].find((name) => database.columns(table).has(name));

const messagesQuery = (database: Database): string =>
  `SELECT * FROM message WHERE session_id = ? ORDER BY ${timeColumn(database, 'message') ?? 'id'}, id`;

function storedMessage(database: Database, row: Row): StoredMessage {
  const order = timeColumn(database, 'part') ?? 'id';
  const parts = database.rows(
    `SELECT id, data FROM part WHERE message_id = ? ORDER BY ${order}, id`,
    String(row['id']),
  );
  return {
    data: objectOf(columnText(row['data'])),
    at: timeOf(row),
    parts: parts.map(({ id, data }) => ({ ...objectOf(columnText(data)), id })),
  };
}

async function readFromFiles(file: SourceFile, sink: TranscriptSink): Promise<undefined> {
  const storage = path.resolve(path.dirname(file.path), '../..');
  const session = path.basename(file.path, '.json');
  const { revert } = objectOf(await readJson(file.path));
  const messages: FoundMessage[] = [];
  for (const message of await jsonFilesIn(path.join(storage, 'message', session))) {
    const id = path.basename(message, '.json');
    const parts: JsonObject[] = [];
    for (const part of await jsonFilesIn(path.join(storage, 'part', id)))
      parts.push({ ...objectOf(await readJson(part)), id: path.basename(part, '.json') });
    const data = objectOf(await readJson(message));
    messages.push({ id, add: (to, end) => addMessage({ data, parts }, to, end) });
  }
  addMessages(messages, fieldsOf(revert), sink);
}

/** A folder's JSON files, oldest first, because their names are IDs that sort by time. */
const jsonFilesIn = async (folder: string): Promise<string[]> =>
  (await folderEntries(folder))
    .flatMap((one) => (one.isFile() && one.name.endsWith('.json') ? path.join(folder, one.name) : []))
    .sort();

function objectOf(value: unknown): JsonObject {
  const parsed = typeof value === 'string' ? tryParse(value) : value;
  if (!isObject(parsed)) throw unknownFormat('opencode');
  return parsed;
}

/** Adds a message with its parts, stopping before the one with the ID `end`. */
function addMessage({ data, at: storedAt, parts }: StoredMessage, sink: TranscriptSink, end: unknown): void {
  const role = data['role'] === 'assistant' ? 'assistant' : 'user';
  const at = parseTimestamp(fieldsOf(data['time'])['created']) ?? storedAt;
  const blocks: ContentBlock[] = [];
  const results: ContentBlock[] = [];
  for (const part of parts) {
    if (end !== undefined && part['id'] === end) break;
    const type = stringOf(part['type']) ?? 'unknown';
    if (type === 'text' && part['synthetic'] === true) sink.skip(phrase('context added by the tool'));
    else if (type === 'text') blocks.push({ type: 'text', text: stringOf(part['text']) ?? '' });
    else if (type === 'tool') addToolBlocks(part, blocks, results, sink);
    else if (type === 'reasoning') sink.skipReasoning();
    else if (type === 'file') blocks.push(...opencodeFile(part['mime'], part['url'], sink));
    else if (!/^(step-|snapshot|patch|compaction)/.test(type)) sink.skipContent(type);
  }
  if (data['summary'] === true) {
    const summary = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    sink.addCompaction({ summary, at });
    return;
  }
  const usage = opencodeUsage(data['tokens']);
  const model = role === 'assistant' ? stringOf(data['modelID']) : undefined;
  sink.addMessage(role, blocks, { at, model, usage });
  sink.addMessage('tool', results, { at });
}

function addToolBlocks(part: JsonObject, blocks: ContentBlock[], results: ContentBlock[], sink: TranscriptSink): void {
  const state = fieldsOf(part['state']);
  blocks.push(toolCall(part['callID'], part['tool'], state['input']));
  const output = stringOf(state['output']) ?? stringOf(state['error']);
  if (output === undefined) return;
  const files = objectsAt(state, 'attachments').flatMap(({ mime, url }) => opencodeFile(mime, url, sink));
  results.push(toolResult(part['callID'], output, state['status'] === 'error'), ...files);
}
