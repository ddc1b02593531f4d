import { isList, isObject, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { phrase } from '../text/phrase.ts';
import { readRoleContent } from './content-parts.ts';
import { parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

/** Tags that the extensions put around the user's text. */
const USER_TEXT_TAGS = /^\s*<(task|feedback|user_message|answer)>\n?([^]*?)\n?<\/\1>\s*$/;
const USER_INPUT = /^\s*(?:<mode_notice>[^]*?<\/mode_notice>\s*)?<user_input mode="\w+">([^]*)<\/user_input>/;
const ENVIRONMENT_DETAILS = /^\s*<environment_details>[^]*<\/environment_details>\s*$/;

/** Reads a message of Cline or one of its forks. */
export function readClineMessage(message: unknown, sink: TranscriptSink): void {
  if (!isObject(message)) return sink.skip(phrase('record without a role or content'));
  const at = parseTimestamp(message['ts']);
  // Roo Code and Kilo Code, and Cline's CLI.
  if (message['isSummary'] === true || valueAt(message, 'metadata', 'kind') === 'compaction_summary') {
    const summary = [message['content']].flat().map((part) => textAt(isObject(part) ? part['text'] : part) ?? '');
    return sink.addCompaction({ summary: summary.join('\n'), at });
  }
  if (message['isTruncationMarker'] === true) return sink.skip(phrase('context added by the tool'));
  const info = message['modelInfo'];
  const tokens = valueAt(message, 'metrics', 'tokens') ?? message['metrics'];
  const usage = usageOf({
    input: valueAt(tokens, 'prompt') ?? valueAt(tokens, 'inputTokens'),
    output: valueAt(tokens, 'completion') ?? valueAt(tokens, 'outputTokens'),
    cached: valueAt(tokens, 'cached') ?? valueAt(tokens, 'cacheReadTokens'),
  });
  const content = message['role'] === 'user' ? withoutAddedContext(message['content'], sink) : message['content'];
  if (isList(content) && content.length === 0) return;
  const model = textAt(info, 'modelId') ?? textAt(info, 'id');
  readRoleContent({ role: message['role'], content }, sink, { at, model, usage });
}

/** A user message's content without the tags and environment details that the extension added. */
function withoutAddedContext(content: unknown, sink: TranscriptSink): unknown {
  if (typeof content === 'string') return withoutTags(content);
  if (!isList(content)) return content;
  return content.flatMap((part) => {
    if (isObject(part) && part['type'] === 'tool_result') return [withTexts(part)];
    if (!isObject(part) || typeof part['text'] !== 'string') return [part];
    if (ENVIRONMENT_DETAILS.test(part['text'])) {
      sink.skip(phrase('context added by the tool'));
      return [];
    }
    return [{ ...part, text: withoutTags(part['text']) }];
  });
}

const withoutTags = (text: string): string => text.replace(USER_TEXT_TAGS, '$2').replace(USER_INPUT, '$1');

/** A tool's result whose outputs, such as `{query, result, success}`, are converted to text. */
function withTexts(result: JsonObject): JsonObject {
  const { content } = result;
  if (!isList(content)) return result;
  const parts = content.map((part) => {
    if (!isObject(part) || typeof part['type'] === 'string') return part;
    const output = [part['result'], part['error']].filter((one) => typeof one === 'string' && one !== '');
    return { type: 'text', text: output.length > 0 ? output.join('\n') : JSON.stringify(part) };
  });
  return { ...result, content: parts };
}
