import { phrase } from '../text/phrase.ts';
import { ROLES, type ContentBlock } from '../model/message.ts';
import { isList, isObject, stringOf, type JsonObject } from './json-value.ts';
import { messageOfBlocks, parseMoment, type TranscriptSink } from './transcript-message.ts';

/** True for a conversation of ChatGPT's data export. */
export function isChatGpt(value: unknown): value is JsonObject & { readonly mapping: JsonObject } {
  return isObject(value) && isObject(value['mapping']);
}

/**
 * ChatGPT's `conversations.json`: each conversation is a tree of messages, of which the branch that ends at
 * `current_node` is read. Several conversations follow one another by the time they were started.
 */
export function importChatGpt(conversations: readonly unknown[], sink: TranscriptSink): void {
  const known = conversations.filter(isChatGpt);
  for (let left = conversations.length - known.length; left > 0; left--)
    sink.skip(phrase('entry without a conversation'));
  const started = (one: JsonObject): number => parseMoment(one['create_time']) ?? 0;
  for (const conversation of known.toSorted((a, b) => started(a) - started(b))) importConversation(conversation, sink);
}

function importConversation(conversation: JsonObject & { readonly mapping: JsonObject }, sink: TranscriptSink): void {
  const { mapping } = conversation;
  const branch: JsonObject[] = [];
  const seen = new Set<string>();
  let id = stringOf(conversation['current_node']) ?? newestLeaf(mapping);
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const node: unknown = mapping[id];
    if (!isObject(node)) break;
    branch.push(node);
    id = stringOf(node['parent']);
  }
  for (const [key, node] of Object.entries(mapping)) {
    if (!seen.has(key) && isObject(node) && isObject(node['message'])) sink.skip(phrase('message on another branch'));
  }
  for (const node of branch.reverse()) if (isObject(node['message'])) importMessage(node['message'], sink);
}

function newestLeaf(mapping: JsonObject): string | undefined {
  const leaves = Object.entries(mapping).filter(([, node]) => {
    const children = isObject(node) ? node['children'] : undefined;
    return isList(children) && children.length === 0;
  });
  return leaves.at(-1)?.[0];
}

function importMessage(message: JsonObject, sink: TranscriptSink): void {
  const name = isObject(message['author']) ? message['author']['role'] : undefined;
  const role = ROLES.find((one) => one === name);
  const content = message['content'];
  const metadata = isObject(message['metadata']) ? message['metadata'] : {};
  if (!role || !isObject(content)) {
    sink.skip(phrase('message without author or content'));
    return;
  }
  if (metadata['is_visually_hidden_from_conversation'] === true) {
    sink.skip(phrase('hidden message'));
    return;
  }
  const text = textOf(content, sink);
  if (text === undefined) return;
  if (text.trim() === '') {
    sink.skip(role === 'system' ? phrase('empty system message') : phrase('empty message'));
    return;
  }
  const at = parseMoment(message['create_time']);
  const recipient = stringOf(message['recipient']) ?? 'all';
  if (role === 'assistant' && recipient !== 'all') {
    const call: ContentBlock = { type: 'tool_call', callId: '', name: recipient, json: text };
    sink.add(messageOfBlocks('assistant', [call], { at }));
  } else {
    sink.add({ role, text, at });
  }
}

/** The text of a message's content; undefined when its kind is left out, which has then been counted. */
function textOf(content: JsonObject, sink: TranscriptSink): string | undefined {
  const type = stringOf(content['content_type']) ?? 'text';
  switch (type) {
    case 'text':
    case 'multimodal_text':
      return parts(content['parts'], sink);
    case 'code':
    case 'execution_output':
    case 'tether_quote':
    case 'system_error':
      return stringOf(content['text']) ?? '';
    case 'tether_browsing_display':
      return stringOf(content['result']) ?? '';
    case 'thoughts':
    case 'reasoning_recap':
      sink.skip(phrase('model reasoning'));
      return undefined;
    default:
      sink.skip(phrase('content of type “{0}”', type));
      return undefined;
  }
}

function parts(list: unknown, sink: TranscriptSink): string {
  if (!isList(list)) return '';
  const texts: string[] = [];
  for (const part of list) {
    if (typeof part === 'string') texts.push(part);
    else if (isObject(part) && typeof part['text'] === 'string') texts.push(part['text']);
    else if (isObject(part)) sink.skip(phrase('content of type “{0}”', stringOf(part['content_type']) ?? 'unknown'));
  }
  return texts.join('\n');
}
