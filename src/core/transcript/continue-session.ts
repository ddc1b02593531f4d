import { isList, isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { readRoleContent } from './role-content.ts';
import {
  addCompaction,
  folderPath,
  skipAttachment,
  skipReasoning,
  usageOf,
  type TranscriptSink,
} from './transcript-message.ts';

/** Whether this is a session of Continue (`sessions/<id>.json`). */
export function isContinueSession(value: unknown): value is JsonObject & { readonly history: readonly unknown[] } {
  return (
    isObject(value) &&
    isList(value['history']) &&
    typeof value['sessionId'] === 'string' &&
    value['history'].every((item) => isObject(item) && isObject(item['message']))
  );
}

/** Imports a session of Continue: OpenAI messages with attachments, without times. */
export function importContinueSession(session: JsonObject, sink: TranscriptSink): void {
  const workspace = folderPath(session['workspaceDirectory']);
  sink.about?.({ id: textAt(session, 'sessionId'), title: textAt(session, 'title'), workspace });
  for (const item of objectsAt(session, 'history')) {
    const message = isObject(item['message']) ? item['message'] : {};
    if (message['role'] === 'thinking') {
      skipReasoning(sink);
      continue;
    }
    const [log] = objectsAt(item, 'promptLogs');
    const model = textAt(log, 'modelTitle') ?? textAt(session, 'chatModelTitle');
    const usage = usageOf({
      input: valueAt(message, 'usage', 'promptTokens'),
      output: valueAt(message, 'usage', 'completionTokens'),
    });
    const openAiMessage = { ...message, tool_calls: message['toolCalls'], tool_call_id: message['toolCallId'] };
    readRoleContent(openAiMessage, sink, { model: message['role'] === 'assistant' ? model : undefined, usage });
    if (isList(item['contextItems'])) item['contextItems'].forEach(() => skipAttachment(sink, 'context'));
    const summary = textAt(item, 'conversationSummary');
    if (summary !== undefined) addCompaction(sink, { summary });
  }
}
