import { phrase } from '../text/phrase.ts';
import type { ContentBlock } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import { isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { checkVersion, parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

/** Events that aren't part of the conversation. */
const BOOKKEEPING =
  /^(assistant\.(turn_start|turn_end|reasoning|intent|streaming_delta)|session\.(info|idle|resume|shutdown|usage_info|truncation|compaction_start)|hook\.|permission\.|pending_messages\.)/;

type CopilotEvent = JsonObject & { readonly type: string; readonly data: JsonObject };

const isEvent = (record: unknown): record is CopilotEvent =>
  isObject(record) && isObject(record['data']) && typeof record['type'] === 'string';

/** Whether a user message is a skill's text, another agent's prompt, or a request by Copilot itself to continue. */
const isAddedByTool = (data: JsonObject): boolean =>
  /^(skill|agent)-/.test(textAt(data, 'source') ?? '') || data['isAutopilotContinuation'] === true;

/** A user message without the context that VS Code adds. It begins with a copy of the request, or with a tag. */
function requestIn(content: string): string {
  const [opening, closing] = ['<userRequest>\n', '\n</userRequest>'];
  const start = `\n${content}`.indexOf(`\n${opening}`);
  const end = content.lastIndexOf(closing);
  const isEnd = /^\s*(?:<reminder>|$)/.test(content.slice(end + closing.length));
  if (start < 0 || end < start || !isEnd) return content;
  const request = content.slice(start + opening.length, end);
  return content.startsWith(request.trim()) || content.trimStart().startsWith('<') ? request : content;
}

export const isCopilotEvent = (record: unknown): boolean =>
  isEvent(record) && /^(session|user|assistant|tool|system)\./.test(record.type);

/**
 * Imports the event log of Copilot CLI (`session-state/<id>/events.jsonl`) or Copilot Chat, record by record. A tool
 * call is usually listed in an assistant message and logged again when it starts. Subagents' messages are skipped; they
 * name the subagent, or in early versions the tool call that started it.
 */
export class CopilotEventsImporter {
  readonly #sink: TranscriptSink;
  readonly #listedCalls = new Set<string>();
  /** IDs of the listed calls that haven't ended. */
  readonly #runningCalls = new Set<string>();
  #model: string | undefined;

  constructor(sink: TranscriptSink, model?: string) {
    this.#sink = sink;
    this.#model = model;
  }

  /** False until every listed call has ended, because resuming before a call's start event would add it again. */
  get isSettled(): boolean {
    return this.#runningCalls.size === 0;
  }

  record(record: unknown): void {
    if (!isEvent(record)) return this.#sink.skip(phrase('invalid record'));
    const { data, type } = record;
    const at = parseTimestamp(record['timestamp']);
    if (typeof record['agentId'] === 'string' || typeof data['parentToolCallId'] === 'string')
      return this.#sink.skip(phrase('subagent message'));
    switch (type) {
      case 'session.start':
        return this.#start(data, at);
      case 'session.model_change':
        return this.#useModel(data['newModel']);
      case 'session.title_changed':
        if (typeof data['title'] === 'string') this.#sink.addFacts({ title: data['title'] });
        return;
      case 'user.message':
        if (isAddedByTool(data)) return this.#sink.skip(phrase('instruction added by the tool'));
        // Calls that the user rejected never end.
        this.#runningCalls.clear();
        this.#sink.addMessage('user', [{ type: 'text', text: requestIn(textAt(data, 'content') ?? '') }], { at });
        for (const attached of objectsAt(data, 'attachments')) this.#sink.skipAttachment(attached['type']);
        return;
      case 'assistant.message':
        return this.#assistantMessage(data, at);
      case 'tool.execution_start': {
        if (this.#listedCalls.has(textAt(data, 'toolCallId') ?? '')) return;
        const call = toolCall(data['toolCallId'], data['toolName'], data['arguments']);
        return this.#sink.addMessage('assistant', [call], { at, model: this.#model });
      }
      case 'tool.execution_complete': {
        this.#runningCalls.delete(textAt(data, 'toolCallId') ?? '');
        const result = textAt(data, 'result', 'content') ?? textAt(data, 'result');
        const text = result ?? textAt(data, 'error', 'message') ?? textAt(data, 'error') ?? '';
        const block = toolResult(data['toolCallId'], text, data['success'] === false);
        const images = readContent(valueAt(data, 'result', 'binaryResultsForLlm'), this.#sink);
        return this.#sink.addMessage('tool', [block, ...images], { at });
      }
      case 'session.compaction_complete':
        if (data['success'] !== false) this.#sink.addCompaction({ summary: textAt(data, 'summaryContent') ?? '', at });
        return;
      default:
        if (!BOOKKEEPING.test(type)) this.#sink.skipRecord(type);
    }
  }

  #start(data: JsonObject, at: number | undefined): void {
    checkVersion(data['version'], 1);
    this.#useModel(data['selectedModel']);
    this.#sink.addFacts({ id: textAt(data, 'sessionId'), workspace: textAt(data, 'context', 'cwd'), createdAt: at });
  }

  #useModel(model: unknown): void {
    if (typeof model !== 'string') return;
    this.#model = model;
    this.#sink.addFacts({ model });
  }

  #assistantMessage(data: JsonObject, at: number | undefined): void {
    const text = textAt(data, 'content') ?? '';
    const blocks: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }];
    for (const call of objectsAt(data, 'toolRequests')) {
      const id = textAt(call, 'toolCallId') ?? '';
      this.#listedCalls.add(id);
      this.#runningCalls.add(id);
      blocks.push(toolCall(id, call['name'], call['arguments']));
    }
    if (typeof data['reasoningText'] === 'string') this.#sink.skipReasoning();
    const { inputTokens: input, outputTokens: output, cacheReadTokens: cached } = data;
    const facts = { at, model: textAt(data, 'model') ?? this.#model, usage: usageOf({ input, output, cached }) };
    this.#sink.addMessage('assistant', blocks, facts);
  }
}
