import { phrase } from '../text/phrase.ts';
import { ROLES } from '../model/message.ts';
import { toolCall } from './content-parts.ts';
import { isList, isObject, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { parseTimestamp, TranscriptSink } from './transcript-message.ts';

export function isChatGpt(value: unknown): value is JsonObject & { readonly mapping: JsonObject } {
  return isObject(value) && isObject(value['mapping']);
}

/** Imports ChatGPT's `conversations.json` by creation time. Of each tree, only the branch of `current_node` is read. */
export function importChatGpt(conversations: readonly unknown[], sink: TranscriptSink): void {
  const supported = conversations.filter(isChatGpt);
  for (let count = conversations.length - supported.length; count > 0; count--)
    sink.skip(phrase('entry without a conversation'));
  const createdAt = (one: JsonObject): number => parseTimestamp(one['create_time']) ?? 0;
  for (const conversation of supported.toSorted((a, b) => createdAt(a) - createdAt(b)))
    addConversation(conversation, sink);
}

function addConversation(conversation: JsonObject & { readonly mapping: JsonObject }, sink: TranscriptSink): void {
  const own = new TranscriptSink({ title: textAt(conversation, 'title')?.trim() });
  importConversation(conversation, own);
  const at = parseTimestamp(conversation['update_time']) ?? parseTimestamp(conversation['create_time']);
  sink.addConversation(own, at);
}

function importConversation(conversation: JsonObject & { readonly mapping: JsonObject }, sink: TranscriptSink): void {
  const { mapping } = conversation;
  const branch: JsonObject[] = [];
  const seen = new Set<string>();
  const isLeaf = (children: unknown): boolean => isList(children) && children.length === 0;
  const newestLeaf = Object.keys(mapping).findLast((key) => isLeaf(valueAt(mapping, key, 'children')));
  let id = [textAt(conversation, 'current_node'), newestLeaf].find((key) => isObject(valueAt(mapping, key ?? '')));
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const message = valueAt(mapping, id, 'message');
    if (isObject(message)) branch.push(message);
    id = textAt(mapping, id, 'parent');
  }
  for (const [key, node] of Object.entries(mapping))
    if (!seen.has(key) && isObject(valueAt(node, 'message'))) sink.skip(phrase('message on another branch'));
  for (const message of branch.reverse()) importMessage(message, sink);
}

function importMessage(message: JsonObject, sink: TranscriptSink): void {
  const role = ROLES.find((one) => one === textAt(message, 'author', 'role'));
  const { content } = message;
  if (!role || !isObject(content)) return sink.skip(phrase('message without author or content'));
  if (valueAt(message, 'metadata', 'is_visually_hidden_from_conversation') === true)
    return sink.skip(phrase('hidden message'));
  const text = readText(content, sink);
  if (text === undefined) return;
  if (text.trim() === '')
    return sink.skip(role === 'system' ? phrase('empty system message') : phrase('empty message'));
  const at = parseTimestamp(message['create_time']);
  const recipient = textAt(message, 'recipient') ?? 'all';
  if (role === 'assistant' && recipient !== 'all') {
    sink.addMessage('assistant', [toolCall('', recipient, text)], { at });
  } else sink.add({ role, text, at });
}

/** The text of a message's content; undefined for unsupported kinds, which are counted as skipped. */
function readText(content: JsonObject, sink: TranscriptSink): string | undefined {
  const type = textAt(content, 'content_type') ?? 'text';
  switch (type) {
    case 'text':
    case 'multimodal_text':
      return readParts(content['parts'], sink);
    case 'code':
    case 'execution_output':
    case 'tether_quote':
    case 'system_error':
      return textAt(content, 'text') ?? '';
    case 'tether_browsing_display':
      return textAt(content, 'result') ?? '';
    case 'thoughts':
    case 'reasoning_recap':
      sink.skipReasoning();
      return undefined;
    default:
      sink.skipContent(type);
      return undefined;
  }
}

function readParts(list: unknown, sink: TranscriptSink): string {
  if (!isList(list)) return '';
  const texts: string[] = [];
  for (const part of list) {
    if (typeof part === 'string') texts.push(part);
    else if (isObject(part) && typeof part['text'] === 'string') texts.push(part['text']);
    else if (isObject(part)) sink.skipContent(part['content_type']);
  }
  return texts.join('\n');
}
