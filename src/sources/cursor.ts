import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { toolCall, toolResult, readRoleContent } from '../core/transcript/content-parts.ts';
import { folderPath, parseTimestamp, usageOf, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { isList, isObject, objectsAt, textAt, type JsonObject } from '../core/text/json-value.ts';
import { columnJson, columnText, type Database, type Databases } from './sqlite-databases.ts';
import { editorFolders, portableFolders, toolFolder, type Home } from './home-folders.ts';
import { fieldsOf, unknownFormat } from './read-files.ts';
import { createSource, hasExtension, type Finder } from './session-finder.ts';
import { readRecords } from './read-records.ts';

const BUBBLES_QUERY = 'SELECT * FROM cursorDiskKV WHERE key >= ? AND key < ?';
/** The size of a chat's messages, because a growing reply doesn't change the chat's modification time. */
const BUBBLES_SIZE_QUERY = 'SELECT sum(octet_length(value)) AS bytes FROM cursorDiskKV WHERE key >= ? AND key < ?';
const TABS_KEY = 'workbench.panel.aichat.view.aichat.chatdata';

const HEADERS_KEY = 'composer.composerHeaders';

/**
 * Cursor stores chats in a global SQLite database under the keys `composerData:<id>` and `bubbleId:<chat>:<message>`,
 * since 2026 with a table of titles. Until 2024, each workspace's database has all of its chat tabs under one key.
 * Agents, including the one for the terminal, also write JSONL files, which have neither times nor results of tools.
 */
export function cursor(home: Home, databases: Databases): Source {
  return createSource(
    'cursor',
    async (finder) => {
      const inDatabase = new Set<string>();
      for (const user of editorFolders(home, ['Cursor'])) {
        // A portable folder may belong to another editor.
        const isShared = portableFolders(home).includes(user);
        await finder.searchDatabases(path.join(user, 'globalStorage'), 'state.vscdb', async (file) => {
          for (const id of await addComposers(finder, databases, file, isShared)) inDatabase.add(id);
        });
        for (const folder of await finder.subfolders(path.join(user, 'workspaceStorage')))
          await finder.searchDatabases(folder, 'state.vscdb', (file) => addTabs(finder, databases, file));
      }
      const projects = path.join(toolFolder(home, 'CURSOR_CONFIG_DIR', '.cursor'), 'projects');
      for (const project of await finder.subfolders(projects)) {
        for (const file of await finder.findFiles(path.join(project, 'agent-transcripts'), hasExtension('.jsonl'), 2)) {
          if (!inDatabase.has(path.basename(file, '.jsonl'))) await finder.addFile(file, { parent: parentOf(file) });
        }
      }
    },
    async (file, sink, from) => {
      if (file.key === undefined)
        return readRecords(file, sink, (to) => ({ record: (one) => addRecord(one, to) }), from);
      const database = await databases.open(file.path);
      if (file.key.startsWith(TABS_KEY)) readTab(database, file.key.slice(TABS_KEY.length + 1), sink);
      else readComposer(database, file.key, sink);
      return undefined;
    },
  );
}

/** The session that started a subagent: `<session>/subagents/<id>.jsonl`. */
function parentOf(file: string): string | undefined {
  const folder = path.dirname(file);
  return path.basename(folder) === 'subagents' ? path.basename(path.dirname(folder)) : undefined;
}

/** Adds the chats of a database and returns the IDs of those with messages. */
async function addComposers(finder: Finder, databases: Databases, file: string, isShared: boolean): Promise<string[]> {
  const database = await databases.open(file);
  if (database.columns('cursorDiskKV').size === 0) {
    if (isShared) return [];
    throw unknownFormat('Cursor');
  }
  const headers = composerHeaders(database);
  const ids: string[] = [];
  for (const row of database.rows(
    "SELECT * FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'",
  )) {
    const chat = columnJson(row['value']);
    // Chats that were opened but not used are stored, too.
    if (!isObject(chat) || headersOf(chat).length === 0) continue;
    const id = String(row['key']).slice('composerData:'.length);
    const header = headers.get(id) ?? {};
    const title = textAt(chat, 'name') || textAt(header, 'name');
    const folder = [header, chat].map((one) => textAt(one, 'workspaceIdentifier', 'uri', 'fsPath'));
    const parent = [header, chat].map((one) => textAt(one, 'subagentInfo', 'parentComposerId'));
    const createdAt = parseTimestamp(chat['createdAt'] ?? header['createdAt']);
    const [messagesSize] = database.rows(BUBBLES_SIZE_QUERY, `bubbleId:${id}:`, `bubbleId:${id};`);
    const bytes = Number(messagesSize?.['bytes'] ?? 0) + (columnText(row['value'])?.length ?? 0);
    const modifiedAt = parseTimestamp(chat['lastUpdatedAt'] ?? header['lastUpdatedAt']) ?? createdAt;
    const facts = { id, title, createdAt, workspace: folder[0] ?? folder[1], parent: parent[0] ?? parent[1] };
    finder.addFromDatabase(file, facts, { bytes, modifiedAt });
    // Cursor deletes messages of old chats, but not their headers.
    if (Number(messagesSize?.['bytes'] ?? 0) > 0 || objectsAt(chat, 'conversation').length > 0) ids.push(id);
  }
  return ids;
}

/** The titles, times, and folders of chats by ID: in a table, or in early 2026 in one value. */
function composerHeaders(database: Database): ReadonlyMap<string, JsonObject> {
  if (database.columns('composerHeaders').has('value')) {
    return new Map(
      database.rows('SELECT * FROM composerHeaders').map((row) => {
        const { createdAt, lastUpdatedAt } = row;
        const value = fieldsOf(columnJson(row['value']));
        return [String(row['composerId']), { createdAt, lastUpdatedAt, ...value }];
      }),
    );
  }
  if (database.columns('ItemTable').size === 0) return new Map();
  const [row] = database.rows('SELECT value FROM ItemTable WHERE key = ?', HEADERS_KEY);
  const value = columnJson(row?.['value']);
  return new Map(objectsAt(value, 'allComposers').map((one) => [textAt(one, 'composerId') ?? '', one]));
}

async function addTabs(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  for (const [id, tab] of tabsOf(database)) {
    const title = textAt(tab, 'chatTitle');
    const size = { bytes: JSON.stringify(tab).length, modifiedAt: parseTimestamp(tab['lastSendTime']) };
    finder.addFromDatabase(file, { id, title }, size, `${TABS_KEY}:${id}`);
  }
}

/** Tabs by their IDs, or else by their positions. */
function tabsOf(database: Database): ReadonlyMap<string, JsonObject> {
  if (database.columns('ItemTable').size === 0) throw unknownFormat('Cursor');
  const [row] = database.rows('SELECT value FROM ItemTable WHERE key = ?', TABS_KEY);
  const value = row ? columnJson(row['value']) : undefined;
  return new Map(objectsAt(value, 'tabs').map((tab, index) => [textAt(tab, 'tabId') ?? String(index), tab]));
}

function readTab(database: Database, id: string, sink: TranscriptSink): void {
  for (const bubble of objectsAt(tabsOf(database).get(id), 'bubbles')) {
    const role = bubble['type'] === 'user' ? 'user' : 'assistant';
    const text = textAt(bubble, 'rawText') || (textAt(bubble, 'text') ?? '');
    const model = role === 'user' ? undefined : textAt(bubble, 'modelType');
    if (text === '') sink.skip(phrase('message without readable content'));
    else sink.addMessage(role, [{ type: 'text', text }], { model });
  }
}

/** A chat's messages in order: headers with the messages' IDs, or the messages themselves in chats before 2025. */
function headersOf(chat: JsonObject): readonly JsonObject[] {
  const { fullConversationHeadersOnly: headers, conversation } = chat;
  const list = isList(headers) && headers.length > 0 ? headers : isList(conversation) ? conversation : [];
  return list.filter(isObject);
}

function readComposer(database: Database, id: string, sink: TranscriptSink): void {
  const [row] = database.rows('SELECT value FROM cursorDiskKV WHERE key = ?', `composerData:${id}`);
  const chat = columnJson(row?.['value']);
  if (!isObject(chat)) throw unknownFormat('Cursor');
  const rows = database.rows(BUBBLES_QUERY, `bubbleId:${id}:`, `bubbleId:${id};`);
  const bubbles = new Map(rows.map((one) => [String(one['key']).split(':')[2], columnJson(one['value'])]));
  for (const header of headersOf(chat)) {
    const bubble = bubbles.get(textAt(header, 'bubbleId')) ?? ('text' in header ? header : undefined);
    if (isObject(bubble)) addBubble(bubble, sink);
    else sink.skip(phrase('message that no longer exists in the tool'));
  }
}

function addBubble(bubble: JsonObject, sink: TranscriptSink): void {
  const role = bubble['type'] === 1 ? 'user' : 'assistant';
  const started = fieldsOf(bubble['timingInfo'])['clientStartTime'];
  const at = parseTimestamp(bubble['createdAt'] ?? bubble['timestamp'] ?? started);
  const tokens = fieldsOf(bubble['tokenCount']);
  const usage = usageOf({ input: tokens['inputTokens'], output: tokens['outputTokens'] });
  const model = role === 'assistant' ? textAt(bubble, 'modelInfo', 'modelName') : undefined;
  const workspace = folderPath(
    bubble['workspaceProjectDir'] ?? (isList(bubble['workspaceUris']) ? bubble['workspaceUris'][0] : undefined),
  );
  if (workspace !== undefined) sink.addFacts({ workspace });
  const text = textAt(bubble, 'text') || (textAt(bubble, 'rawText') ?? '');
  const tool = isObject(bubble['toolFormerData']) ? bubble['toolFormerData'] : undefined;
  const callId = textAt(tool, 'toolCallId') ?? '';
  const blocks = [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...(tool ? [toolCall(callId, tool['name'], tool['rawArgs'] ?? tool['params'])] : []),
  ];
  sink.addMessage(role, blocks, { at, usage, model });
  if (blocks.length === 0) sink.skip(phrase('message without readable content'));
  const result = textAt(tool, 'result');
  if (result !== undefined && result !== '')
    sink.addMessage('tool', [toolResult(callId, result, tool?.['status'] === 'error')], { at });
}

/** The tags around a user's text. */
const USER_QUERY = /^\s*(?:<timestamp>[^<]*<\/timestamp>\s*)?<user_query>\n?([^]*?)\n?<\/user_query>\s*$/;

function addRecord(record: unknown, sink: TranscriptSink): void {
  const { message, role, type } = fieldsOf(record);
  if (!isObject(message)) return sink.skipRecord(type);
  const { content } = message;
  const withoutTags = (part: unknown): unknown =>
    isObject(part) && typeof part['text'] === 'string'
      ? { ...part, text: part['text'].replace(USER_QUERY, '$1') }
      : part;
  const isUserList = role === 'user' && isList(content);
  readRoleContent({ ...message, ...(isUserList && { content: content.map(withoutTags) }), role }, sink);
}
