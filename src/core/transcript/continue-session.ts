import { isList, isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { toolResult, readRoleContent } from './content-parts.ts';
import { folderPath, usageOf, type TranscriptSink } from './transcript-message.ts';

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
  sink.addFacts({ id: textAt(session, 'sessionId'), title: textAt(session, 'title'), workspace });
  const history = objectsAt(session, 'history');
  const answered = new Set(history.map((item) => textAt(item, 'message', 'toolCallId')));
  for (const item of history) {
    const message = isObject(item['message']) ? item['message'] : {};
    if (message['role'] === 'thinking') {
      sink.skipReasoning();
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
    // The extension also stores results as messages; the CLI stores them only with the calls.
    for (const state of objectsAt(item, 'toolCallStates')) {
      const callId = textAt(state, 'toolCallId') ?? '';
      if (answered.has(callId) || !isList(state['output'])) continue;
      const texts = objectsAt(state, 'output').map((one) => textAt(one, 'content') ?? '');
      const isError = state['status'] === 'errored';
      sink.addMessage('tool', [toolResult(callId, texts.join('\n'), isError)]);
    }
    if (isList(item['contextItems'])) item['contextItems'].forEach(() => sink.skipAttachment('context'));
    const summary = textAt(item, 'conversationSummary');
    if (summary !== undefined) sink.addCompaction({ summary });
  }
}
