import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Source } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import type { ContentBlock, Role } from '../core/model/message.ts';
import { resultBlocks, toolCall, readRoleContent } from '../core/transcript/content-parts.ts';
import { isList, isObject, objectsAt, textAt, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { newerFormat, parseTimestamp, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnText, type Databases, type Row } from './sqlite-databases.ts';
import { dataFolders, type Home } from './home-folders.ts';
import { fieldsOf, unknownFormat, zstd } from './read-files.ts';
import { createSource, type Finder } from './session-finder.ts';

/** The newest supported version of Zed's threads. */
const SUPPORTED_VERSION = '0.3.0';

/** `threads/threads.db`: a row per thread, with a JSON document that is compressed with zstd and has no times. */
export function zed(home: Home, databases: Databases): Source {
  return createSource(
    'zed',
    async (finder) => {
      const seen = new Set<string>();
      for (const root of dataFolders(home).flatMap((data) => ['zed', 'Zed'].map((name) => path.join(data, name)))) {
        await finder.searchDatabases(path.join(root, 'threads'), 'threads.db', async (file) => {
          // In a case-insensitive file system, `zed` and `Zed` are the same folder.
          const realFile = await realpath(file);
          if (!seen.has(realFile)) await addThreads(finder, databases, file);
          seen.add(realFile);
        });
      }
    },
    async (file, sink) => {
      const database = await databases.open(file.path);
      const [row] = database.rows('SELECT data_type, data FROM threads WHERE id = ?', file.key ?? '');
      const { messages, model, version: statedVersion } = fieldsOf(row && tryParse(await readThread(row)));
      if (!isList(messages)) throw unknownFormat('Zed');
      const version = textAt(statedVersion) ?? '0.1.0';
      if (version.localeCompare(SUPPORTED_VERSION, 'en', { numeric: true }) > 0)
        throw newerFormat(version, SUPPORTED_VERSION);
      for (const message of messages) addMessage(message, textAt(model, 'model'), sink);
    },
  );
}

async function addThreads(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  const available = database.columns('threads');
  if (!available.has('data')) throw unknownFormat('Zed');
  const columns = ['id', 'summary', 'updated_at', 'parent_id', 'folder_paths', 'created_at'].filter((name) =>
    available.has(name),
  );
  for (const row of database.rows(`SELECT ${columns.join(', ')}, octet_length(data) AS bytes FROM threads`)) {
    const id = String(row['id']);
    const [title, parent] = ['summary', 'parent_id'].map((name) => columnText(row[name]) || undefined);
    const workspace = columnText(row['folder_paths'])?.split('\n')[0] || undefined;
    const createdAt = parseTimestamp(row['created_at']);
    const modifiedAt = parseTimestamp(row['updated_at']);
    finder.addFromDatabase(file, { id, title, parent, createdAt, workspace }, { bytes: row['bytes'], modifiedAt });
  }
}

async function readThread({ data_type: type, data }: Row): Promise<string> {
  if (type === 'json') return columnText(data) ?? '';
  if (type !== 'zstd' || !(data instanceof Uint8Array)) throw unknownFormat('Zed');
  return (await promisify<Uint8Array, Buffer>(zstd().zstdDecompress)(data)).toString('utf8');
}

function addMessage(message: unknown, model: string | undefined, sink: TranscriptSink): void {
  if (message === 'Resume') return;
  if (!isObject(message)) return sink.skip(phrase('record without a role or content'));
  const { User: user, Agent: agent, Compaction: compaction } = message;
  if (isObject(user)) addUserOrAgent('user', user, undefined, sink);
  else if (isObject(agent)) addUserOrAgent('assistant', agent, model, sink);
  else if (compaction !== undefined) sink.addCompaction({ summary: textAt(compaction, 'Summary') ?? '' });
  else if (isList(message['segments']))
    readRoleContent({ role: message['role'], content: message['segments'] }, sink, {
      model: message['role'] === 'assistant' ? model : undefined,
    });
  else sink.skipRecord(Object.keys(message)[0]);
}

function addUserOrAgent(role: Role, message: JsonObject, model: string | undefined, sink: TranscriptSink): void {
  const blocks = objectsAt(message, 'content').flatMap((part) => blockOf(part, sink));
  sink.addMessage(role, blocks, { model });
  const results = Object.entries(fieldsOf(message['tool_results'])).flatMap(([callId, result]) =>
    isObject(result) && 'content' in result ? resultOf(callId, result) : [],
  );
  sink.addMessage('tool', results);
}

function blockOf(part: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const { Text: text, Mention: mention, ToolUse: use, Image: image } = part;
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isObject(mention)) return [{ type: 'text', text: textAt(mention, 'content') ?? '' }];
  if (isObject(use)) return [toolCall(use['id'], use['name'], inputOf(use['input']))];
  if (isObject(image) && typeof image['source'] === 'string') return [imageBlock(image['source'])];
  const [kind] = Object.keys(part);
  if (kind?.includes('Thinking')) sink.skipReasoning();
  else sink.skipContent(kind);
  return [];
}

/** The input of a call, which since 2026 is `{type: 'json' | 'text', value}`. */
function inputOf(input: unknown): unknown {
  const { type, value } = fieldsOf(input);
  return (type === 'json' || type === 'text') && value !== undefined ? value : input;
}

/** Zed converts all images to PNG. */
const imageBlock = (base64: string): ContentBlock => ({ type: 'image', mediaType: 'image/png', base64 });

/** A result is one content, or since 2026 a list of contents. */
function resultOf(callId: string, result: JsonObject): ContentBlock[] {
  const contents = isList(result['content']) ? result['content'] : [result['content']];
  const blocks = contents.map((content): ContentBlock => {
    const image = textAt(content, 'Image', 'source');
    if (image !== undefined) return imageBlock(image);
    return { type: 'text', text: textAt(content, 'Text') ?? textAt(content) ?? JSON.stringify(content ?? '') };
  });
  return resultBlocks(callId, blocks, result['is_error'] === true);
}
