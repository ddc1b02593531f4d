import { phrase } from '../text/phrase.ts';
import type { ContentBlock, Role } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, stringOf, type JsonObject } from './json-value.ts';
import { messageOfBlocks, parseMoment, type MessageFacts, type TranscriptSink } from './transcript-message.ts';

const ROLES: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const MOMENT_KEYS = ['at', 'timestamp', 'created_at', 'createdAt', 'create_time', 'time', 'date'] as const;

/** True for a record of `{role, content}`, in OpenAI's or Anthropic's shape. */
export function isRoleContent(record: unknown): record is JsonObject {
  return isObject(record) && typeof record['role'] === 'string' && ('content' in record || 'tool_calls' in record);
}

/**
 * Reads a record of `{role, content}`. An empty message is kept, so that indices stay those of the file; a user
 * message that carries tool results beside its own words becomes two.
 */
export function readRoleContent(record: unknown, sink: TranscriptSink, facts: MessageFacts = {}): void {
  if (!isRoleContent(record)) {
    sink.skip(phrase('record without a role or content'));
    return;
  }
  const name = String(record['role']).toLowerCase();
  const role = ROLES.get(name);
  if (!role) {
    sink.skip(phrase('message with role “{0}”', name));
    return;
  }
  const blocks = withCalls(record, role, readContent(record['content'], sink));
  const at = MOMENT_KEYS.map((key) => parseMoment(record[key])).find((moment) => moment !== undefined);
  addBlocks(role, blocks, { ...facts, at: at ?? facts.at }, sink, isEmptyText(record['content']));
}

/** Adds a message, its tool results apart from what the user said with them. */
export function addBlocks(
  role: Role,
  blocks: readonly ContentBlock[],
  facts: MessageFacts,
  sink: TranscriptSink,
  keepEmpty = false,
): void {
  if (blocks.length === 0) {
    if (keepEmpty) sink.add(messageOfBlocks(role, [], facts));
    else sink.skip(phrase('message without readable content'));
    return;
  }
  if (role !== 'user' || !blocks.some((block) => block.type === 'tool_result')) {
    sink.add(messageOfBlocks(role, blocks, facts));
    return;
  }
  // An image right after a result belongs to it: it is what the tool showed.
  const shown: ContentBlock[] = [];
  const words: ContentBlock[] = [];
  let isOfTool = false;
  for (const block of blocks) {
    isOfTool = block.type === 'tool_result' || (block.type === 'image' && isOfTool);
    (isOfTool ? shown : words).push(block);
  }
  sink.add(messageOfBlocks('tool', shown, facts));
  if (words.length > 0) sink.add(messageOfBlocks('user', words, facts));
}

function isEmptyText(content: unknown): boolean {
  return content === null || content === undefined || (isList(content) && content.length === 0);
}

function withCalls(record: JsonObject, role: Role, blocks: ContentBlock[]): ContentBlock[] {
  if (role === 'tool') {
    const callId = stringOf(record['tool_call_id']);
    const first = blocks[0];
    if (callId === undefined || first?.type !== 'text') return blocks;
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return [toolResult(callId, text, record['is_error'] === true), ...blocks.filter((one) => one.type !== 'text')];
  }
  const calls = isList(record['tool_calls']) ? record['tool_calls'].filter(isObject) : [];
  const found = calls.map((call) => {
    const made = isObject(call['function']) ? call['function'] : isObject(call['custom']) ? call['custom'] : call;
    return toolCall(call['id'], made['name'], made['arguments'] ?? made['input']);
  });
  const legacy = record['function_call'];
  if (isObject(legacy)) found.push(toolCall('', legacy['name'], legacy['arguments']));
  const isFiller = found.length > 0 && blocks.length === 1 && blocks[0]?.type === 'text' && blocks[0].text === '';
  return isFiller ? found : [...blocks, ...found];
}
