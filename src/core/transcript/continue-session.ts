import { phrase } from '../text/phrase.ts';
import { addCompaction, usageOf, type TranscriptSink, folderPath } from './transcript-message.ts';
import { isList, isObject, stringOf, type JsonObject } from './json-value.ts';
import { readRoleContent } from './role-content.ts';

/** True for a session of Continue (`sessions/<id>.json`). */
export function isContinueSession(value: unknown): value is JsonObject & { readonly history: readonly unknown[] } {
  return (
    isObject(value) &&
    isList(value['history']) &&
    typeof value['sessionId'] === 'string' &&
    value['history'].every((item) => isObject(item) && isObject(item['message']))
  );
}

/** A session of Continue: OpenAI's messages, each with what was attached to it. There are no times in it. */
export function importContinueSession(
  session: JsonObject & { readonly history: readonly unknown[] },
  sink: TranscriptSink,
): void {
  const [id, title] = [session['sessionId'], session['title']].map(stringOf);
  const workspace = folderPath(session['workspaceDirectory']);
  sink.about?.({ id, title, workspace });
  for (const item of session.history.filter(isObject)) {
    const message = isObject(item['message']) ? item['message'] : {};
    if (message['role'] === 'thinking') {
      sink.skip(phrase('model reasoning'));
      continue;
    }
    const model = message['role'] === 'assistant' ? (modelOf(item) ?? stringOf(session['chatModelTitle'])) : undefined;
    const counted = isObject(message['usage']) ? message['usage'] : {};
    const usage = usageOf({ input: counted['promptTokens'], output: counted['completionTokens'] });
    readRoleContent({ ...message, tool_calls: message['toolCalls'], tool_call_id: message['toolCallId'] }, sink, {
      model,
      usage,
    });
    const attached = isList(item['contextItems']) ? item['contextItems'] : [];
    attached.forEach(() => sink.skip(phrase('attachment of type “{0}”', 'context')));
    const summary = stringOf(item['conversationSummary']);
    if (summary !== undefined) addCompaction(sink, { summary });
  }
}

function modelOf(item: JsonObject): string | undefined {
  const log = isList(item['promptLogs']) ? item['promptLogs'][0] : undefined;
  return isObject(log) ? stringOf(log['modelTitle']) : undefined;
}
