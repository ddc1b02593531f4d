import { phrase } from '../text/phrase.ts';
import { ROLES, type ContentBlock, type Role } from '../model/message.ts';
import { isList, isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { messageFromBlocks, parseTimestamp, type MessageFacts, type TranscriptSink } from './transcript-message.ts';

const textBlock = (value: unknown): ContentBlock => ({ type: 'text', text: textAt(value) ?? '' });

/** Reads the content of a message, and counts the message as skipped if it has none in a known form. */
export function readMessageContent(content: unknown, sink: TranscriptSink): ContentBlock[] {
  if (isList(content) ? content.length === 0 : typeof content !== 'string' && !isObject(content))
    sink.skip(phrase('message without readable content'));
  return readContent(content, sink);
}

/** Reads content in the format of OpenAI, Anthropic, Google, Codex, Goose, or Threadkeeper: a string, part, or list. */
export function readContent(content: unknown, sink: TranscriptSink): ContentBlock[] {
  if (typeof content === 'string') return [textBlock(content)];
  if (!isList(content)) return isObject(content) ? readPart(content, sink) : [];
  return content.flatMap((part) => {
    if (typeof part === 'string') return [textBlock(part)];
    if (isObject(part)) return readPart(part, sink);
    sink.skip(phrase('invalid content part'));
    return [];
  });
}

function readPart(part: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const type = textAt(part, 'type') ?? '';
  switch (type) {
    case '':
      return readGooglePart(part, sink);
    case 'text':
    case 'input_text':
    case 'output_text':
      return [textBlock(part['text'])];
    case 'refusal':
      return [textBlock(part['refusal'])];
    case 'thinking':
    case 'redacted_thinking':
    case 'reasoning':
      sink.skipReasoning();
      return [];
    case 'tool_call':
      return [toolCall(part['callId'], part['name'], part['json'])];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [toolCall(part['id'], part['name'], part['input'])];
    // Goose wraps calls and results in `{status, value}`. Before October 2025, results were a plain list of parts.
    case 'toolRequest': {
      const call = valueAt(part, 'toolCall', 'value');
      return [toolCall(part['id'], valueAt(call, 'name'), valueAt(call, 'arguments'))];
    }
    case 'toolResponse': {
      const result = part['toolResult'];
      const value = valueAt(result, 'value');
      const content = (isObject(value) ? value['content'] : value) ?? textAt(result, 'error') ?? '';
      const isError = textAt(result, 'status') === 'error' || valueAt(value, 'isError') === true;
      return resultBlocks(part['id'], readContent(withoutUserCopies(content), sink), isError);
    }
    case 'tool_result': {
      if (typeof part['callId'] === 'string')
        return [toolResult(part['callId'], textAt(part, 'text') ?? '', part['isError'] === true)];
      return resultBlocks(part['tool_use_id'], readContent(part['content'], sink), part['is_error'] === true);
    }
    case 'image': {
      const source = isObject(part['source']) ? part['source'] : part;
      const mediaType = source['media_type'] ?? source['mediaType'] ?? source['mimeType'];
      return readImage(mediaType, source['data'] ?? source['base64'], sink);
    }
    case 'image_url':
    case 'imageUrl': // Continue
    case 'input_image': {
      const image = part['image_url'] ?? part['imageUrl'];
      const url = textAt(image, 'url') ?? textAt(image) ?? '';
      const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
      return readImage(mediaType, base64, sink);
    }
    case 'document':
      if (textAt(part, 'source', 'type') === 'text' && textAt(part, 'source', 'data') !== undefined)
        return [textBlock(valueAt(part, 'source', 'data'))];
      sink.skip(phrase('non-text document'));
      return [];
    default:
      sink.skipContent(type);
      return [];
  }
}

/** A tool's output in Goose without the copies for the user, which the model doesn't get. */
function withoutUserCopies(content: unknown): unknown {
  if (!isList(content)) return content;
  const isFor = (reader: string, part: unknown): boolean => {
    const audience = valueAt(part, 'annotations', 'audience');
    return isList(audience) && audience.includes(reader);
  };
  if (!content.some((part) => isFor('assistant', part))) return content;
  return content.filter((part) => isFor('assistant', part) || !isFor('user', part));
}

/** Creates a tool call. Input that isn't a string is converted to JSON. */
export function toolCall(callId: unknown, name: unknown, input: unknown): ContentBlock {
  const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return { type: 'tool_call', callId: textAt(callId) ?? '', name: textAt(name) ?? 'tool', json };
}

export function toolResult(callId: unknown, text: string, isError: boolean): ContentBlock {
  return { type: 'tool_result', callId: textAt(callId) ?? '', text, isError };
}

/** A tool result with the text of its content, followed by its images. */
export const resultBlocks = (callId: unknown, content: readonly ContentBlock[], isError: boolean): ContentBlock[] => [
  toolResult(callId, joinTextBlocks(content), isError),
  ...content.filter(({ type }) => type === 'image'),
];

export const joinTextBlocks = (blocks: readonly ContentBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** Reads a part in Google's format, used by Gemini CLI and Qwen Code. Its type is determined by its fields. */
function readGooglePart(part: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const { functionCall: call, functionResponse: result, inlineData: data } = part;
  if (part['thought'] === true) {
    sink.skipReasoning();
    return [];
  }
  if (isObject(call)) return [toolCall(call['id'], call['name'], call['args'])];
  if (isObject(result)) {
    const { response } = result;
    const error = textAt(response, 'error');
    const output = error ?? textAt(response, 'output') ?? JSON.stringify(response ?? '');
    return [toolResult(result['id'], output, error !== undefined)];
  }
  if (isObject(data)) return readImage(data['mimeType'], data['data'], sink);
  if (typeof part['text'] === 'string') return [textBlock(part['text'])];
  sink.skipContent(Object.keys(part)[0] ?? '');
  return [];
}

function readImage(mediaType: unknown, base64: unknown, sink: TranscriptSink): ContentBlock[] {
  if (typeof mediaType === 'string' && typeof base64 === 'string') return [{ type: 'image', mediaType, base64 }];
  sink.skip(phrase('linked image'));
  return [];
}

const ROLE_ALIASES: Readonly<Record<Role, readonly string[]>> = {
  system: ['system', 'developer'],
  user: ['user', 'human'],
  assistant: ['assistant', 'model', 'ai'],
  tool: ['tool', 'function'],
};

const TIME_KEYS = ['at', 'timestamp', 'created_at', 'createdAt', 'create_time', 'time', 'date'] as const;

/** Whether this is a message as `{role, content}`, in the format of OpenAI or Anthropic. */
export const isRoleContent = (record: unknown): record is JsonObject =>
  isObject(record) && typeof record['role'] === 'string' && ('content' in record || 'tool_calls' in record);

/** Imports a message as `{role, content}`. Messages with empty content are kept, so that indexes match the file. */
export function readRoleContent(record: unknown, sink: TranscriptSink, facts: MessageFacts = {}): void {
  if (!isRoleContent(record)) return sink.skip(phrase('record without a role or content'));
  const name = String(record['role']).toLowerCase();
  const role = ROLES.find((one) => ROLE_ALIASES[one].includes(name));
  if (!role) return sink.skip(phrase('message with role “{0}”', name));
  const content = record['content'] ?? record['refusal'] ?? [];
  const blocks = withToolCalls(record, role, readContent(content, sink));
  const at = TIME_KEYS.map((key) => parseTimestamp(record[key])).find((moment) => moment !== undefined);
  const allFacts = { ...facts, at: at ?? facts.at };
  if (blocks.length > 0) sink.addMessage(role, blocks, allFacts);
  else if (isList(content) && content.length === 0) sink.add(messageFromBlocks(role, [], allFacts));
  else sink.skip(phrase('message without readable content'));
}

function withToolCalls(record: JsonObject, role: Role, blocks: ContentBlock[]): ContentBlock[] {
  if (role === 'tool') {
    const callId = textAt(record, 'tool_call_id');
    if (callId === undefined || blocks[0]?.type !== 'text') return blocks;
    const result = toolResult(callId, joinTextBlocks(blocks), record['is_error'] === true);
    return [result, ...blocks.filter(({ type }) => type !== 'text')];
  }
  const calls = objectsAt(record, 'tool_calls').map((call) => {
    const target = [call['function'], call['custom']].find(isObject) ?? call;
    return toolCall(call['id'], target['name'], target['arguments'] ?? target['input']);
  });
  const functionCall = record['function_call'];
  if (isObject(functionCall)) calls.push(toolCall('', functionCall['name'], functionCall['arguments']));
  const isEmptyText = calls.length > 0 && blocks.length === 1 && blocks[0]?.type === 'text' && blocks[0].text === '';
  return isEmptyText ? calls : [...blocks, ...calls];
}
