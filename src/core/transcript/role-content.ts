import { phrase } from '../text/phrase.ts';
import { ROLES, type ContentBlock, type Role } from '../model/message.ts';
import { readContent, joinTextBlocks, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, objectsAt, stringOf, type JsonObject } from '../text/json-value.ts';
import { messageFromBlocks, parseTimestamp, type MessageFacts, type TranscriptSink } from './transcript-message.ts';

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
    const callId = stringOf(record['tool_call_id']);
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
