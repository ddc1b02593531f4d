import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Source } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { toolCall, toolResult } from '../core/transcript/content-parts.ts';
import { isList, isObject, stringOf, tryParse, type JsonObject } from '../core/transcript/json-value.ts';
import { readRoleContent } from '../core/transcript/role-content.ts';
import {
  messageOfBlocks,
  parseMoment,
  TranscriptError,
  type TranscriptSink,
} from '../core/transcript/transcript-message.ts';
import { textOf, type Databases, type Row } from './databases.ts';
import { dataFolders, fieldsOf, newerFormat, sourceOf, unknownFormat, type Finder, type Home } from './files.ts';

/** The supported version of Zed's threads. */
const VERSION = '0.3.0';

/** `threads/threads.db`: a row per thread, with a document that is compressed with zstd. Messages have no times. */
export function zed(home: Home, databases: Databases): Source {
  return sourceOf(
    'zed',
    async (finder) => {
      const seen = new Set<string>();
      for (const root of dataFolders(home).flatMap((data) => ['zed', 'Zed'].map((name) => path.join(data, name)))) {
        await finder.stores(path.join(root, 'threads'), 'threads.db', async (store) => {
          // In a case-insensitive file system, both names are the same folder.
          const place = await realpath(store);
          if (!seen.has(place)) await addThreads(finder, databases, store);
          seen.add(place);
        });
      }
    },
    async (file, sink) => {
      const database = await databases.open(file.path);
      const [row] = database.rows('SELECT data_type, data FROM threads WHERE id = ?', file.key ?? '');
      const { messages, model, version: written } = fieldsOf(row && tryParse(await documentOf(row)));
      if (!isList(messages)) throw unknownFormat('Zed');
      const version = stringOf(written) ?? '0.1.0';
      if (version.localeCompare(VERSION, 'en', { numeric: true }) > 0) throw newerFormat(version, VERSION);
      for (const message of messages) addMessage(message, stringOf(fieldsOf(model)['model']), sink);
    },
  );
}

async function addThreads(finder: Finder, databases: Databases, store: string): Promise<void> {
  const database = await databases.open(store);
  const named = database.columns('threads');
  if (!named.has('data')) throw unknownFormat('Zed');
  const columns = ['id', 'summary', 'updated_at', 'parent_id', 'folder_paths', 'created_at'].filter((name) =>
    named.has(name),
  );
  for (const row of database.rows(`SELECT ${columns.join(', ')}, octet_length(data) AS bytes FROM threads`)) {
    const id = String(row['id']);
    const [title, parent] = [textOf(row['summary']), textOf(row['parent_id'])];
    const [workspace] = (textOf(row['folder_paths']) ?? '').split('\n');
    const createdAt = parseMoment(row['created_at']);
    const facts = { id, title, parent, createdAt, ...(workspace !== undefined && workspace !== '' && { workspace }) };
    finder.addRow(store, facts, { bytes: row['bytes'], modifiedAt: parseMoment(row['updated_at']) });
  }
}

async function documentOf({ data_type: type, data }: Row): Promise<string> {
  if (type === 'json') return textOf(data) ?? '';
  if (type !== 'zstd' || !(data instanceof Uint8Array)) throw unknownFormat('Zed');
  // Only available since Node 22.15, although the types don't say so.
  if (!('zstdDecompress' in zlib)) {
    throw new TranscriptError(
      phrase('Reading this file requires Node.js 22.15 or later. Update VS Code or Node.js and try again.'),
    );
  }
  return (await promisify<Uint8Array, Buffer>(zlib.zstdDecompress)(data)).toString('utf8');
}

function addMessage(message: unknown, model: string | undefined, sink: TranscriptSink): void {
  if (message === 'Resume') return;
  if (!isObject(message)) {
    sink.skip(phrase('record without a role or content'));
    return;
  }
  const { User: user, Agent: agent } = message;
  if (isObject(user)) addSpoken('user', user, undefined, sink);
  else if (isObject(agent)) addSpoken('assistant', agent, model, sink);
  else if (isList(message['segments']))
    readRoleContent({ role: message['role'], content: message['segments'] }, sink, {
      model: message['role'] === 'assistant' ? model : undefined,
    });
  else sink.skip(phrase('record of type “{0}”', Object.keys(message)[0] ?? 'unknown'));
}

function addSpoken(
  role: 'user' | 'assistant',
  message: JsonObject,
  model: string | undefined,
  sink: TranscriptSink,
): void {
  const content = isList(message['content']) ? message['content'].filter(isObject) : [];
  const blocks = content.flatMap((part) => blockOf(part, sink));
  if (blocks.length > 0) sink.add(messageOfBlocks(role, blocks, { model }));
  const results = Object.entries(fieldsOf(message['tool_results']));
  const told = results.flatMap(([callId, result]) =>
    isObject(result) && 'content' in result ? [resultOf(callId, result)] : [],
  );
  if (told.length > 0) sink.add(messageOfBlocks('tool', told));
}

function blockOf(part: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const { Text: text, Mention: mention, ToolUse: use } = part;
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isObject(mention)) return [{ type: 'text', text: stringOf(mention['content']) ?? '' }];
  if (isObject(use)) return [toolCall(use['id'], use['name'], use['input'])];
  const kind = Object.keys(part)[0] ?? 'unknown';
  sink.skip(/Thinking/.test(kind) ? phrase('model reasoning') : phrase('content of type “{0}”', kind));
  return [];
}

function resultOf(callId: string, result: JsonObject): ContentBlock {
  const { content } = result;
  const text = isObject(content) ? stringOf(content['Text']) : stringOf(content);
  return toolResult(callId, text ?? JSON.stringify(content ?? ''), result['is_error'] === true);
}
