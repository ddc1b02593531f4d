import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Source, SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import type { ContentBlock, Usage } from '../core/model/message.ts';
import { joinTextBlocks, toolCall, toolResult } from '../core/transcript/content-parts.ts';
import { isObject, objectsAt, textAt, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { parseTimestamp, usageOf, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnJson, columnText, type Database, type Databases, type Row } from './sqlite-databases.ts';
import { dataFolders, type Home } from './home-folders.ts';
import { fieldsOf, ifExists, readJson, readOptionalFields, unknownFormat } from './read-files.ts';
import { createSource, folderEntries, hasExtension, type Finder } from './session-finder.ts';

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
      const [title, workspace, parent] = ['title', 'directory', 'parentID'].map((name) => textAt(session, name));
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
  let kept: { readonly position: TranscriptSink['position'] } | undefined;
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
  /** The rows of a table, which may not exist. */
  const rowsOf = (table: string, order: string): readonly Row[] =>
    database.columns(table).size === 0
      ? []
      : database.rows(`SELECT * FROM ${table} WHERE session_id = ? ORDER BY ${order}, id`, session);
  const old = rowsOf('message', timeColumn(database, 'message'));
  const rows = rowsOf('session_message', 'seq, time_created').filter(isConversation);
  // Version 2 copies messages of version 1 under the same IDs. With an experimental flag, version 1 writes each message
  // in both formats.
  const oldIds = new Set(old.map(({ id }) => id));
  const lastAt = Math.max(0, ...old.map((row) => timeOf(row) ?? 0));
  const isContinued = rows.some(({ id }) => oldIds.has(id)) || rows.every((row) => (timeOf(row) ?? 0) > lastAt);
  const added = isContinued ? rows.filter(({ id }) => !oldIds.has(id)) : [];
  const found: FoundMessage[] = [
    ...old.map((row): FoundMessage => {
      const at = timeOf(row);
      const add: FoundMessage['add'] = (to, end) =>
        addMessage(objectOf(columnText(row['data'])), partsOf(database, row), to, end, at);
      return { id: row['id'], at, add };
    }),
    ...added.map((row): FoundMessage => ({ id: row['id'], at: timeOf(row), add: (to) => addOpencodeRow(row, to) })),
  ];
  if (old.length > 0 && added.length > 0) found.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return found;
}

const timeOf = (row: Row): number | undefined => parseTimestamp(row['time_created'] ?? row['created_at']);

const timeColumn = (database: Database, table: string): string =>
  ['time_created', 'created_at'].find((name) => database.columns(table).has(name)) ?? 'id';

function partsOf(database: Database, message: Row): readonly JsonObject[] {
  const query = `SELECT id, data FROM part WHERE message_id = ? ORDER BY ${timeColumn(database, 'part')}, id`;
  const rows = database.rows(query, String(message['id']));
  return rows.map(({ id, data }) => ({ ...objectOf(columnText(data)), id }));
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
    messages.push({ id, add: (to, end) => addMessage(data, parts, to, end) });
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

/** Adds a message with its parts, stopping before the one with the ID `end`. `storedAt` is used if `data` has no time. */
function addMessage(
  data: JsonObject,
  parts: readonly JsonObject[],
  sink: TranscriptSink,
  end: unknown,
  storedAt?: number,
): void {
  const at = parseTimestamp(fieldsOf(data['time'])['created']) ?? storedAt;
  const until = end === undefined ? -1 : parts.findIndex(({ id }) => id === end);
  const { blocks, results } = readParts(until === -1 ? parts : parts.slice(0, until), sink);
  if (data['summary'] === true) return sink.addCompaction({ summary: joinTextBlocks(blocks), at });
  const isReply = data['role'] === 'assistant';
  const model = isReply ? textAt(data, 'modelID') : undefined;
  sink.addMessage(isReply ? 'assistant' : 'user', blocks, { at, model, usage: opencodeUsage(data['tokens']) });
  sink.addMessage('tool', results, { at });
}

/** The content of a message's parts in the form of either version, and the results of its tool calls. */
function readParts(parts: readonly JsonObject[], sink: TranscriptSink) {
  const blocks: ContentBlock[] = [];
  const results: ContentBlock[] = [];
  for (const part of parts) {
    const type = textAt(part, 'type') ?? 'unknown';
    if (type === 'text' && part['synthetic'] === true) sink.skip(phrase('context added by the tool'));
    else if (type === 'text') blocks.push({ type: 'text', text: textAt(part, 'text') ?? '' });
    else if (type === 'tool') {
      const callId = part['callID'] ?? part['id'];
      const state = fieldsOf(part['state']);
      blocks.push(toolCall(callId, part['tool'] ?? part['name'], state['input']));
      results.push(...resultOf(callId, state, sink));
    } else if (type === 'reasoning') sink.skipReasoning();
    else if (type === 'file') blocks.push(...opencodeFile(part, sink));
    else if (!/^(step-|snapshot|patch|compaction)/.test(type)) sink.skipContent(type);
  }
  return { blocks, results };
}

function resultOf(callId: unknown, state: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const { status } = state;
  if (status !== 'completed' && status !== 'error') return [];
  const content = objectsAt(state, 'content');
  const texts = content.flatMap((one) => (one['type'] === 'text' ? (textAt(one, 'text') ?? '') : []));
  const error = textAt(state, 'error', 'message') ?? textAt(state, 'error') ?? [];
  const text = textAt(state, 'output') ?? [...texts, error].flat().join('\n');
  const files = [...objectsAt(state, 'attachments'), ...content.filter(({ type }) => type === 'file')];
  return [toolResult(callId, text, status === 'error'), ...files.flatMap((file) => opencodeFile(file, sink))];
}

/** Changes of the session that aren't part of the conversation. */
const BOOKKEEPING = /^(agent-switched|model-switched|location-switched|idle)$/;

/** Whether a row of the table `session_message` is part of the conversation. */
const isConversation = (row: Row): boolean => !BOOKKEEPING.test(columnText(row['type']) ?? '');

/** Adds a message of opencode 2: a row of the table `session_message`, whose content depends on its type. */
function addOpencodeRow(row: Row, sink: TranscriptSink): void {
  const type = columnText(row['type']) ?? 'unknown';
  const data = fieldsOf(columnJson(row['data']));
  if (Object.keys(data).length === 0) throw unknownFormat('opencode');
  const at = parseTimestamp(fieldsOf(data['time'])['created'] ?? row['time_created']);
  switch (type) {
    case 'user': {
      const files = objectsAt(data, 'files').flatMap((file) => opencodeFile(file, sink));
      const blocks: ContentBlock[] = [{ type: 'text', text: textAt(data, 'text') ?? '' }, ...files];
      return sink.addMessage('user', blocks, { at });
    }
    case 'assistant': {
      const { blocks, results } = readParts(objectsAt(data, 'content'), sink);
      const facts = { at, model: textAt(data, 'model', 'id'), usage: opencodeUsage(data['tokens']) };
      sink.addMessage('assistant', blocks, facts);
      return sink.addMessage('tool', results, { at });
    }
    case 'shell': {
      // A command that the user ran.
      const output = textAt(data, 'output', 'output') ?? textAt(data, 'output') ?? '';
      const isError = typeof data['exit'] === 'number' && data['exit'] !== 0;
      const text = `$ ${textAt(data, 'command') ?? ''}\n${output}`.trimEnd();
      return sink.addMessage('tool', [toolResult(data['shellID'], text, isError)], { at });
    }
    case 'compaction': {
      const summary = textAt(data, 'summary') ?? '';
      if (data['status'] === undefined || data['status'] === 'completed') sink.addCompaction({ summary, at });
      return;
    }
    case 'synthetic':
    case 'system':
    case 'skill':
      return sink.skip(phrase('context added by the tool'));
    default:
      sink.skipRecord(type);
  }
}

/** An attached image. Other files are skipped; if the model got their text, the tool added it as context. */
function opencodeFile({ mime, url, uri = url }: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const [, base64] = /^data:image\/[^,]*;base64,(.*)$/s.exec(textAt(uri) ?? '') ?? [];
  if (base64 !== undefined && typeof mime === 'string') return [{ type: 'image', mediaType: mime, base64 }];
  sink.skipAttachment(mime);
  return [];
}

function opencodeUsage(value: unknown): Usage | undefined {
  const { input: uncached, output, reasoning, cache } = fieldsOf(value);
  const { read: cached, write: cacheWrite } = fieldsOf(cache);
  return usageOf({ uncached, output, cached, cacheWrite, reasoning });
}
