import type { ContentBlock, Usage } from '../core/model/message.ts';
import { phrase } from '../core/text/phrase.ts';
import { objectsAt, stringOf, textAt, type JsonObject } from '../core/text/json-value.ts';
import { toolCall, toolResult } from '../core/transcript/content-parts.ts';
import { parseTimestamp, usageOf, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnJson, columnText, type Row } from './databases.ts';
import { fieldsOf, unknownFormat } from './read-files.ts';

/** Changes of the session that aren't part of the conversation. */
const BOOKKEEPING = /^(agent-switched|model-switched|location-switched|idle)$/;

/** Whether a row of the table `session_message` is part of the conversation. */
export const isConversation = (row: Row): boolean => !BOOKKEEPING.test(columnText(row['type']) ?? '');

/** Adds a message of opencode 2: a row of the table `session_message`, whose content depends on its type. */
export function addOpencodeRow(row: Row, sink: TranscriptSink): void {
  const type = columnText(row['type']) ?? 'unknown';
  const data = fieldsOf(columnJson(row['data']));
  if (Object.keys(data).length === 0) throw unknownFormat('opencode');
  const at = parseTimestamp(fieldsOf(data['time'])['created'] ?? row['time_created']);
  switch (type) {
    case 'user': {
      const files = objectsAt(data, 'files').flatMap((file) => opencodeFile(file['mime'], file['uri'], sink));
      const blocks: ContentBlock[] = [{ type: 'text', text: stringOf(data['text']) ?? '' }, ...files];
      return sink.addMessage('user', blocks, { at });
    }
    case 'assistant':
      return addReply(data, at, sink);
    case 'shell': {
      // A command that the user ran.
      const output = textAt(data, 'output', 'output') ?? textAt(data, 'output') ?? '';
      const isError = typeof data['exit'] === 'number' && data['exit'] !== 0;
      const text = `$ ${stringOf(data['command']) ?? ''}\n${output}`.trimEnd();
      return sink.addMessage('tool', [toolResult(data['shellID'], text, isError)], { at });
    }
    case 'compaction': {
      const summary = stringOf(data['summary']) ?? '';
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

function addReply(data: JsonObject, at: number | undefined, sink: TranscriptSink): void {
  const blocks: ContentBlock[] = [];
  const results: ContentBlock[] = [];
  for (const part of objectsAt(data, 'content')) {
    if (part['type'] === 'text') blocks.push({ type: 'text', text: stringOf(part['text']) ?? '' });
    else if (part['type'] === 'reasoning') sink.skipReasoning();
    else if (part['type'] === 'tool') {
      const callId = part['callID'] ?? part['id'];
      const state = fieldsOf(part['state']);
      blocks.push(toolCall(callId, part['name'], state['input']));
      results.push(...resultOf(callId, state, sink));
    } else sink.skipRecord(part['type']);
  }
  const facts = { at, model: textAt(data, 'model', 'id'), usage: opencodeUsage(data['tokens']) };
  sink.addMessage('assistant', blocks, facts);
  sink.addMessage('tool', results, { at });
}

function resultOf(callId: unknown, state: JsonObject, sink: TranscriptSink): ContentBlock[] {
  if (state['status'] !== 'completed' && state['status'] !== 'error') return [];
  const content = objectsAt(state, 'content');
  const texts = content.flatMap((one) => (one['type'] === 'text' ? [stringOf(one['text']) ?? ''] : []));
  const error = textAt(state, 'error', 'message');
  const images = content.flatMap((one) => (one['type'] === 'file' ? opencodeFile(one['mime'], one['uri'], sink) : []));
  const text = [...texts, ...(error === undefined ? [] : [error])].join('\n');
  return [toolResult(callId, text, state['status'] === 'error'), ...images];
}

/** An attached image. Other files are skipped; if the model got their text, the tool added it as context. */
export function opencodeFile(mediaType: unknown, uri: unknown, sink: TranscriptSink): ContentBlock[] {
  const [, base64] = /^data:image\/[^,]*;base64,(.*)$/s.exec(stringOf(uri) ?? '') ?? [];
  if (base64 !== undefined && typeof mediaType === 'string') return [{ type: 'image', mediaType, base64 }];
  sink.skipAttachment(mediaType);
  return [];
}

export function opencodeUsage(value: unknown): Usage | undefined {
  const { input: uncached, output, reasoning, cache } = fieldsOf(value);
  const { read: cached, write: cacheWrite } = fieldsOf(cache);
  return usageOf({ uncached, output, cached, cacheWrite, reasoning });
}
