import { phrase } from '../text/phrase.ts';
import { AiderImporter, looksLikeAider } from './aider.ts';
import { importChatGpt, isChatGpt } from './chatgpt.ts';
import { ClaudeCodeImporter, isClaudeCode } from './claude-code.ts';
import { CodexImporter, isCodex } from './codex.ts';
import { importContinueSession, isContinueSession } from './continue-session.ts';
import { CopilotEventsImporter, isCopilotEvent } from './copilot-events.ts';
import { exportedSessionImporter, isExportedMessage } from './session-jsonl.ts';
import { importGemini, isGemini } from './gemini.ts';
import { isTooDeep, isList, isObject, tryParse, valueAt, type JsonObject } from '../text/json-value.ts';
import { isQwen, qwenImporter } from './qwen.ts';
import { isRoleContent, readRoleContent } from './content-parts.ts';
import { importSpecStory, looksLikeSpecStory } from './specstory.ts';
import { TranscriptError, type TranscriptFormat, type TranscriptSink } from './transcript-message.ts';
import { importVsCodeChat, isVsCodeChat, isVsCodeChatLog, replayVsCodeChatLog } from './vscode-chat.ts';

/** Number of UTF-16 units from which a file's format is first determined, unless the file is shorter. */
export const HEAD_UNITS = 1 << 16;

const KNOWN_FORMATS =
  'Threadkeeper JSONL, {role, content} JSON/JSONL, VS Code, aider, SpecStory, Claude Code, Codex, Copilot, ' +
  'Gemini CLI, Qwen Code, Continue, ChatGPT conversations.json';

export interface LineImporter {
  line(line: string): void;
  end(): void;
  /** Whether all messages so far were passed on, so that reading can resume here later. */
  readonly isSettled: boolean;
}

export interface RecordImporter {
  record(record: unknown): void;
  end?(): void;
  /** See `LineImporter`. Undefined means true: every record is a complete message. */
  readonly isSettled?: boolean;
  /** The ID of the newest message, if records name the ones that they follow. */
  readonly leaf?: string | undefined;
}

type DetectedFormat =
  | { readonly format: TranscriptFormat; readonly lines: LineImporter }
  | { readonly whole: (text: string) => TranscriptFormat };

/**
 * Determines the format of a file from its beginning, or from the whole file if `isWhole`. Returns undefined if more of
 * the file is needed. Throws `TranscriptError` if the format isn't supported.
 */
export function detectFormat(head: string, isWhole: boolean, sink: TranscriptSink): DetectedFormat | undefined {
  const start = head.trimStart();
  if (start === '' && isWhole) throw new TranscriptError(phrase('The file is empty.'));
  if (start.startsWith('{')) return detectRecordFormat(start, isWhole, sink);
  if (/^\[\s*[{\]]/.test(start)) return { whole: (text) => importDocument(text, sink) };
  if (looksLikeSpecStory(head)) return { whole: (text) => readAs('specstory', importSpecStory, text, sink) };
  if (looksLikeAider(head)) return { format: 'aider', lines: new AiderImporter(sink) };
  if (!isWhole && head.length < HEAD_UNITS * 16) return undefined;
  throw new TranscriptError(phrase('The file format isn’t supported. Supported formats: {0}.', KNOWN_FORMATS));
}

/** Formats with one record per line. The first one that matches is used. */
const RECORD_FORMATS: readonly {
  readonly format: TranscriptFormat;
  readonly matches: (record: unknown) => boolean;
  readonly importer: (sink: TranscriptSink) => RecordImporter;
}[] = [
  { format: 'claude-code', matches: isClaudeCode, importer: (sink) => new ClaudeCodeImporter(sink) },
  { format: 'codex', matches: isCodex, importer: (sink) => new CodexImporter(sink) },
  { format: 'copilot', matches: isCopilotEvent, importer: (sink) => new CopilotEventsImporter(sink) },
  { format: 'qwen', matches: isQwen, importer: (sink) => qwenImporter(sink) },
  { format: 'threadkeeper', matches: isExportedMessage, importer: exportedSessionImporter },
  { format: 'messages', matches: isRoleContent, importer: (sink) => ({ record: (one) => readRoleContent(one, sink) }) },
];

function detectRecordFormat(start: string, isWhole: boolean, sink: TranscriptSink): DetectedFormat | undefined {
  const lines = start.split('\n');
  if (!isWhole) lines.pop();
  if (lines.length === 0) return undefined;
  const first = tryParse(lines[0]!);
  // These logs change earlier content, so they are read as a whole.
  if (isVsCodeChatLog(first)) return { whole: (text) => importJson(replayVsCodeChatLog(text), sink) };
  if (isGemini(first)) return { whole: (text) => readAs('gemini', importGemini, text, sink) };
  const formats = lines.map((line) => {
    const record = tryParse(line);
    return RECORD_FORMATS.find(({ matches }) => matches(record));
  });
  const recognized = formats.filter((format) => format !== undefined);
  // If the first line is damaged, the others determine the format.
  const isRecords = isObject(first) ? !isDocument(first) : recognized.length * 2 >= lines.length;
  if (!isRecords) return { whole: (text) => importDocument(text, sink) };
  if (recognized[0])
    return { format: recognized[0].format, lines: recordLineImporter(recognized[0].importer(sink), sink) };
  if (isWhole) throw unsupportedJson();
  return undefined;
}

const unsupportedJson = (): TranscriptError =>
  new TranscriptError(
    phrase('This JSON file isn’t in a supported chat format. Supported formats: {0}.', KNOWN_FORMATS),
  );

function readAs<Source>(
  format: TranscriptFormat,
  importer: (source: Source, sink: TranscriptSink) => void,
  source: Source,
  sink: TranscriptSink,
): TranscriptFormat {
  importer(source, sink);
  return format;
}

/** Parses lines as JSON and passes the records to an importer. */
export function recordLineImporter(importer: RecordImporter, sink: TranscriptSink): LineImporter {
  return {
    get isSettled() {
      return importer.isSettled ?? true;
    },
    line(line) {
      if (line.trim() === '') return;
      const record = tryParse(line);
      if (record === undefined) sink.skip(phrase('invalid JSON line'));
      else importer.record(record);
    },
    end: () => importer.end?.(),
  };
}

const isDocument = (value: JsonObject): boolean =>
  isVsCodeChat(value) || isContinueSession(value) || isChatGpt(value) || isList(value['messages']);

function importDocument(text: string, sink: TranscriptSink): TranscriptFormat {
  if (isTooDeep(text)) throw new TranscriptError(phrase('The JSON is nested too deeply to be read.'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TranscriptError(
      phrase('The file isn’t valid JSON: {0}.', error instanceof Error ? error.message : String(error)),
    );
  }
  return importJson(value, sink);
}

function importJson(value: unknown, sink: TranscriptSink): TranscriptFormat {
  if (isGemini(value)) return readAs('gemini', importGemini, value, sink);
  if (isContinueSession(value)) return readAs('continue', importContinueSession, value, sink);
  if (isVsCodeChat(value)) return readAs('vscode-chat', importVsCodeChat, value, sink);
  if (isChatGpt(value)) return readAs('chatgpt', importChatGpt, [value], sink);
  const list = [value, valueAt(value, 'messages')].find(isList);
  if (list?.some(isChatGpt)) return readAs('chatgpt', importChatGpt, list, sink);
  if (list && (list.length === 0 || list.some(isRoleContent))) {
    const system = valueAt(value, 'system');
    // In a request to Anthropic, the system prompt is a string or a list of text parts.
    if (typeof system === 'string' || isList(system)) readRoleContent({ role: 'system', content: system }, sink);
    for (const record of list) readRoleContent(record, sink);
    return 'messages';
  }
  if (isRoleContent(value)) return readAs('messages', readRoleContent, value, sink);
  throw unsupportedJson();
}
