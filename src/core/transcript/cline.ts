import { isList, isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { phrase } from '../text/phrase.ts';
import { readRoleContent } from './content-parts.ts';
import { parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

/** Tags that the extensions put around the user's text, and words before them. */
const USER_TEXT_TAGS =
  /^\s*(?:\[TASK RESUMPTION\][^]{0,2000}?\n|(?:New|The user) [^\n]*\n+)?<(task|feedback|user_message|answer)>\n?([^]*?)\n?<\/\1>/;
const USER_INPUT = /^\s*(?:<mode_notice>[^]*?<\/mode_notice>\s*)?<user_input mode="\w+">([^]*)<\/user_input>/;
const ADDED_CONTEXT =
  /^\s*(?:<environment_details>[^]*<\/environment_details>\s*$|# (?:task_progress|TODO LIST UPDATE) |\[ERROR\] You did not use a tool|\[TASK RESUMPTION\]|\(The user did not provide a new message|The user has provided feedback on the results\.)/;
/** The heading of a tool's result as text, which is followed by the result or in the next part. */
const RESULT_HEADING = /^\[\w+(?: for [^]*?)?\] Result:\s*/;

/** Whether this is a user's message of Cline or one of its forks, to which the extension added the environment. */
export const isCline = (record: unknown): boolean =>
  objectsAt(record, 'content').some((part) => /^\s*<environment_details>/.test(textAt(part, 'text') ?? ''));

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

/**
 * A user message's content without the tags and context that the extension added. Extensions that call tools by text
 * also store their results as the user's text.
 */
function withoutAddedContext(content: unknown, sink: TranscriptSink): unknown {
  if (typeof content === 'string') return withoutTags(content);
  if (!isList(content)) return content;
  let heading = '';
  return content.flatMap((part) => {
    if (isObject(part) && part['type'] === 'tool_result') return [withTexts(part)];
    if (!isObject(part) || typeof part['text'] !== 'string') return [part];
    const [start = ''] = RESULT_HEADING.exec(part['text']) ?? [];
    const text = part['text'].slice(start.length);
    if (USER_TEXT_TAGS.test(text)) {
      heading = '';
      return [{ ...part, text: withoutTags(text) }];
    }
    if (ADDED_CONTEXT.test(text)) {
      sink.skip(phrase('context added by the tool'));
      return [];
    }
    heading ||= start;
    if (heading === '') return [{ ...part, text: withoutTags(text) }];
    if (text === '') return [];
    const feedbackAt = text.trimEnd().endsWith('\n</feedback>') ? text.lastIndexOf('\n<feedback>\n') : -1;
    const end = feedbackAt === -1 ? text.length : feedbackAt;
    const result = { type: 'tool_result', content: heading.trimEnd() + '\n' + text.slice(0, end) };
    heading = '';
    return end === text.length ? [result] : [result, { type: 'text', text: withoutTags(text.slice(end)) }];
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
