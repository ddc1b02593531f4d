import path from 'node:path';
import type { Source, SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { toolCall, toolResult } from '../core/transcript/content-parts.ts';
import { isObject, stringOf, tryParse, type JsonObject } from '../core/text/json-value.ts';
import {
  addCompaction,
  messageFromBlocks,
  parseTimestamp,
  skipContent,
  skipReasoning,
  usageOf,
  type TranscriptSink,
} from '../core/transcript/transcript-message.ts';
import { columnText, type Databases } from './databases.ts';
import {
  createSource,
  dataFolders,
  fieldsOf,
  folderEntries,
  hasExtension,
  readJson,
  readOptionalFields,
  unknownFormat,
  type Finder,
  type Home,
} from './files.ts';

/** A message and its parts, from a database or from files. */
interface StoredMessage {
  readonly data: JsonObject;
  readonly at: number | undefined;
  readonly parts: readonly JsonObject[];
}

/** Sessions with the size of their parts, because a growing reply doesn't change the session's time. */
const SESSIONS_QUERY = `
  SELECT session.*, bytes FROM session LEFT JOIN
    (SELECT message.session_id AS held_by, sum(octet_length(part.data)) AS bytes
      FROM part JOIN message ON message.id = part.message_id GROUP BY message.session_id)
    ON held_by = session.id`;

/** `opencode.db` since version 1.2; before, JSON files in `storage/session`, `storage/message`, and `storage/part`. */
export function opencode(home: Home, databases: Databases): Source {
  return createSource(
    'opencode',
    async (finder) => {
      for (const data of dataFolders(home)) {
        const root = path.join(data, 'opencode');
        await finder.searchDatabases(root, 'opencode.db', (file) => addSessions(finder, databases, file));
        for (const file of await finder.findFiles(path.join(root, 'storage/session'), hasExtension('.json'), 1)) {
          const session = await readOptionalFields(file);
          const [title, workspace, parent] = ['title', 'directory', 'parentID'].map((name) => stringOf(session[name]));
          await finder.addFile(file, { title, workspace, parent });
        }
      }
    },
    async (file, sink) => {
      const messages =
        file.key === undefined ? await readFromFiles(file) : await readFromDatabase(databases, file.path, file.key);
      for (const message of messages) addMessage(message, sink);
    },
  );
}

async function addSessions(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  for (const row of database.rows(SESSIONS_QUERY)) {
    const id = String(row['id']);
    const [title, workspace, parent] = ['title', 'directory', 'parent_id'].map((name) => columnText(row[name]));
    const createdAt = parseTimestamp(row['time_created'] ?? row['created_at']);
    const modifiedAt = parseTimestamp(row['time_updated'] ?? row['updated_at']);
    finder.addFromDatabase(file, { id, title, workspace, parent, createdAt }, { bytes: row['bytes'], modifiedAt });
  }
}

async function readFromDatabase(databases: Databases, file: string, session: string): Promise<StoredMessage[]> {
  const database = await databases.open(file);
  const timeColumn = database.columns('message').has('time_created') ? 'time_created' : 'created_at';
  const partOrder = database.columns('part').has(timeColumn) ? `${timeColumn}, id` : 'id';
  return database.rows(`SELECT * FROM message WHERE session_id = ? ORDER BY ${timeColumn}, id`, session).map((row) => {
    const parts = database.rows(`SELECT data FROM part WHERE message_id = ? ORDER BY ${partOrder}`, String(row['id']));
    return {
      data: objectOf(columnText(row['data'])),
      at: parseTimestamp(row[timeColumn]),
      parts: parts.map(({ data }) => objectOf(columnText(data))),
    };
  });
}

async function readFromFiles(file: SourceFile): Promise<StoredMessage[]> {
  const storage = path.resolve(path.dirname(file.path), '../..');
  const session = path.basename(file.path, '.json');
  if (!isObject(await readJson(file.path))) throw unknownFormat('opencode');
  const messages: StoredMessage[] = [];
  for (const message of await jsonFilesIn(path.join(storage, 'message', session))) {
    const parts: JsonObject[] = [];
    for (const part of await jsonFilesIn(path.join(storage, 'part', path.basename(message, '.json'))))
      parts.push(objectOf(await readJson(part)));
    messages.push({ data: objectOf(await readJson(message)), at: undefined, parts });
  }
  return messages;
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

function addMessage({ data, at: storedAt, parts }: StoredMessage, sink: TranscriptSink): void {
  const role = data['role'] === 'assistant' ? 'assistant' : 'user';
  const at = parseTimestamp(fieldsOf(data['time'])['created']) ?? storedAt;
  const blocks: ContentBlock[] = [];
  const results: ContentBlock[] = [];
  for (const part of parts) {
    const type = stringOf(part['type']) ?? 'unknown';
    if (type === 'text' && part['synthetic'] === true) sink.skip(phrase('context added by the tool'));
    else if (type === 'text') blocks.push({ type: 'text', text: stringOf(part['text']) ?? '' });
    else if (type === 'tool') addToolBlocks(part, blocks, results);
    else if (type === 'reasoning') skipReasoning(sink);
    else if (!/^(step-|snapshot|patch|compaction)/.test(type)) skipContent(sink, type);
  }
  if (data['summary'] === true) {
    const summary = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    addCompaction(sink, { summary, at });
    return;
  }
  const tokens = fieldsOf(data['tokens']);
  const cache = fieldsOf(tokens['cache']);
  // opencode's input tokens don't include those read from or written to the cache.
  const input = [tokens['input'], cache['read'], cache['write']].reduce<number>(
    (sum, one) => sum + (typeof one === 'number' ? one : 0),
    0,
  );
  const usage = usageOf({
    input,
    output: tokens['output'],
    cached: cache['read'],
    cacheWrite: cache['write'],
    reasoning: tokens['reasoning'],
  });
  const model = role === 'assistant' ? stringOf(data['modelID']) : undefined;
  if (blocks.length > 0) sink.add(messageFromBlocks(role, blocks, { at, model, usage }));
  if (results.length > 0) sink.add(messageFromBlocks('tool', results, { at }));
}

function addToolBlocks(part: JsonObject, blocks: ContentBlock[], results: ContentBlock[]): void {
  const state = fieldsOf(part['state']);
  blocks.push(toolCall(part['callID'], part['tool'], state['input']));
  const output = stringOf(state['output']) ?? stringOf(state['error']);
  if (output === undefined) return;
  results.push(toolResult(stringOf(part['callID']) ?? '', output, state['status'] === 'error'));
}
