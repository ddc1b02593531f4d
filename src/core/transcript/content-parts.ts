import { phrase } from '../text/phrase.ts';
import type { ContentBlock } from '../model/message.ts';
import { isList, isObject, stringOf, type JsonObject } from './json-value.ts';
import type { TranscriptSink } from './transcript-message.ts';

const THINKING = phrase('model reasoning');

/**
 * Content as OpenAI, Anthropic, Codex and this project's own export write it: a string, or a list of parts. The
 * model's reasoning is left out: it is no part of what was said, and providers do not take it back from elsewhere.
 */
export function readContent(content: unknown, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isList(content)) return isObject(content) ? readPart(content, sink) : [];
  return content.flatMap((part) => {
    if (typeof part === 'string') return [{ type: 'text', text: part } as const];
    if (isObject(part)) return readPart(part, sink);
    sink.skip(phrase('invalid content part'));
    return [];
  });
}

function readPart(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const type = stringOf(part['type']) ?? '';
  if (type === '') return untypedPart(part, sink);
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: stringOf(part['text']) ?? '' }];
    case 'refusal':
      return [{ type: 'text', text: stringOf(part['refusal']) ?? '' }];
    case 'thinking':
    case 'redacted_thinking':
    case 'reasoning':
      sink.skip(THINKING);
      return [];
    case 'tool_call':
      return [toolCall(part['callId'], part['name'], part['json'])];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [toolCall(part['id'], part['name'], part['input'])];
    case 'toolRequest':
      return gooseCall(part);
    case 'toolResponse':
      return gooseResult(part, sink);
    case 'tool_result':
      return typeof part['callId'] === 'string'
        ? [toolResult(part['callId'], stringOf(part['text']) ?? '', part['isError'] === true)]
        : anthropicResult(part, sink);
    case 'image':
      return image(part, sink);
    case 'image_url':
    case 'input_image':
      return dataUrl(isObject(part['image_url']) ? part['image_url']['url'] : part['image_url'], sink);
    case 'document':
      return document(part, sink);
    default:
      sink.skip(phrase('content of type “{0}”', type));
      return [];
  }
}

/** A tool call. Input that is no string is written as JSON. */
export function toolCall(callId: unknown, name: unknown, input: unknown): ContentBlock {
  const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return { type: 'tool_call', callId: stringOf(callId) ?? '', name: stringOf(name) ?? 'tool', json };
}

export function toolResult(callId: string, text: string, isError: boolean): ContentBlock {
  return { type: 'tool_result', callId, text, isError };
}

/** A part in Google's shape, which Gemini CLI and Qwen Code write: what it is shows by the field that it has. */
function untypedPart(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const { functionCall: call, functionResponse: result, inlineData: data } = part;
  if (part['thought'] === true) {
    sink.skip(THINKING);
    return [];
  }
  if (isObject(call)) return [toolCall(call['id'], call['name'], call['args'])];
  if (isObject(result)) {
    const { response } = result;
    const error = isObject(response) ? stringOf(response['error']) : undefined;
    const output = isObject(response) ? stringOf(response['output']) : undefined;
    const text = error ?? output ?? JSON.stringify(response ?? '');
    return [toolResult(stringOf(result['id']) ?? '', text, error !== undefined)];
  }
  if (isObject(data)) return image({ mediaType: data['mimeType'], base64: data['data'] }, sink);
  if (typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }];
  sink.skip(phrase('content of type “{0}”', Object.keys(part)[0] ?? ''));
  return [];
}

/** Goose wraps calls and results in `{status, value}`; results were a bare list of parts before 2025-10. */
function gooseCall(part: JsonObject): ContentBlock[] {
  const call = isObject(part['toolCall']) ? part['toolCall'] : {};
  const made = isObject(call['value']) ? call['value'] : {};
  return [toolCall(part['id'], made['name'], made['arguments'])];
}

function gooseResult(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const result = isObject(part['toolResult']) ? part['toolResult'] : {};
  const value = isObject(result['value']) ? result['value'] : { content: result['value'] };
  const inner = readContent(value['content'] ?? stringOf(result['error']) ?? '', sink);
  const text = inner.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const isError = result['status'] === 'error' || value['isError'] === true;
  return [toolResult(stringOf(part['id']) ?? '', text, isError)];
}

function anthropicResult(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const inner = readContent(part['content'], sink);
  const text = inner.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const images = inner.filter((block) => block.type === 'image');
  return [toolResult(stringOf(part['tool_use_id']) ?? '', text, part['is_error'] === true), ...images];
}

function image(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const source = isObject(part['source']) ? part['source'] : part;
  const mediaType = stringOf(source['media_type']) ?? stringOf(source['mediaType']);
  const base64 = stringOf(source['data']) ?? stringOf(source['base64']);
  if (mediaType !== undefined && base64 !== undefined) return [{ type: 'image', mediaType, base64 }];
  sink.skip(phrase('linked image'));
  return [];
}

function dataUrl(url: unknown, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const match = typeof url === 'string' ? /^data:([^;,]+);base64,(.*)$/s.exec(url) : null;
  if (match) return [{ type: 'image', mediaType: match[1]!, base64: match[2]! }];
  sink.skip(phrase('linked image'));
  return [];
}

function document(part: JsonObject, sink: Pick<TranscriptSink, 'skip'>): ContentBlock[] {
  const source = part['source'];
  if (isObject(source) && source['type'] === 'text' && typeof source['data'] === 'string') {
    return [{ type: 'text', text: source['data'] }];
  }
  sink.skip(phrase('non-text document'));
  return [];
}
