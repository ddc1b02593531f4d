import { phrase } from '../text/phrase.ts';
import { AiderImporter, looksLikeAider } from './aider.ts';
import { importChatGpt, isChatGpt } from './chatgpt.ts';
import { ClaudeCodeImporter, isClaudeCode } from './claude-code.ts';
import { CodexImporter, isCodex } from './codex.ts';
import { importContinueSession, isContinueSession } from './continue-session.ts';
import { CopilotEventsImporter, isCopilotEvent } from './copilot-events.ts';
import { isExportedMessage, ExportedSessionImporter } from './session-jsonl.ts';
import { importGemini, isGemini } from './gemini.ts';
import { isDeep, isList, isObject, textAt, tryParse, valueAt, type JsonObject } from './json-value.ts';
import { importQwenRecord, isQwen } from './qwen.ts';
import { isRoleContent, readRoleContent } from './role-content.ts';
import { importSpecStory, looksLikeSpecStory } from './specstory.ts';
import { TranscriptError, type TranscriptFormat, type TranscriptSink } from './transcript-message.ts';
import { importVsCodeChat, isVsCodeChat, isVsCodeChatLog, replayVsCodeChatLog } from './vscode-chat.ts';

/** UTF-16 units that are read of a file before its format is determined; more if the first line is longer. */
export const HEAD_UNITS = 1 << 16;

const KNOWN_FORMATS =
  'Threadkeeper JSONL, {role, content} JSON/JSONL, VS Code, aider, SpecStory, Claude Code, Codex, Copilot, ' +
  'Gemini CLI, Qwen Code, Continue, ChatGPT conversations.json';

/** Imports a file line by line. */
export interface LineImporter {
  line(line: string): void;
  end(): void;
  /** Whether all messages so far are complete, so that reading can stop here and resume later. */
  readonly isSettled: boolean;
}

/** Imports records one by one. */
export interface RecordImporter {
  record(record: unknown): void;
  end?(): void;
  /** Like that of `LineImporter`; undefined if every record is independent. */
  readonly isSettled?: boolean;
}

type Recognized =
  | { readonly format: TranscriptFormat; readonly lines: LineImporter }
  | { readonly whole: (text: string) => TranscriptFormat };

/**
 * The importer for a file that begins with `head`, or consists of it (`isWhole`); undefined if more of the file is
 * needed. Throws `TranscriptError`.
 */
export function recognize(head: string, isWhole: boolean, sink: TranscriptSink): Recognized | undefined {
  const start = head.trimStart();
  if (start === '' && isWhole) throw new TranscriptError(phrase('The file is empty.'));
  if (start.startsWith('{')) return recognizeRecords(start, isWhole, sink);
  if (/^\[\s*[{\]]/.test(start)) return { whole: (text) => importDocument(text, sink) };
  if (looksLikeSpecStory(head)) return { whole: (text) => readAs('specstory', importSpecStory, text, sink) };
  if (looksLikeAider(head)) return { format: 'aider', lines: new AiderImporter(sink) };
  if (!isWhole && head.length < HEAD_UNITS * 16) return undefined;
  throw new TranscriptError(phrase('The file format isn’t supported. Supported formats: {0}.', KNOWN_FORMATS));
}

/** Formats with one record per line, narrower ones first. */
const RECORDS: readonly {
  readonly format: TranscriptFormat;
  readonly is: (record: unknown) => boolean;
  readonly importer: (sink: TranscriptSink) => RecordImporter;
}[] = [
  { format: 'claude-code', is: isClaudeCode, importer: (sink) => new ClaudeCodeImporter(sink) },
  { format: 'codex', is: isCodex, importer: (sink) => new CodexImporter(sink) },
  { format: 'copilot', is: isCopilotEvent, importer: (sink) => new CopilotEventsImporter(sink) },
  { format: 'qwen', is: isQwen, importer: (sink) => ({ record: (one) => importQwenRecord(one, sink) }) },
  { format: 'threadkeeper', is: isExportedMessage, importer: (sink) => new ExportedSessionImporter(sink) },
  { format: 'messages', is: isRoleContent, importer: (sink) => ({ record: (one) => readRoleContent(one, sink) }) },
];

function recognizeRecords(start: string, isWhole: boolean, sink: TranscriptSink): Recognized | undefined {
  const lines = start.split('\n');
  if (!isWhole) lines.pop();
  if (lines.length === 0) return undefined;
  const first = tryParse(lines[0]!);
  // Logs that must be read as a whole.
  if (isVsCodeChatLog(first)) return { whole: (text) => importJson(replayVsCodeChatLog(text), sink) };
  if (isGemini(first)) return { whole: (text) => readAs('gemini', importGemini, text, sink) };
  const formats = lines.map((line) => {
    const record = tryParse(line);
    return RECORDS.find(({ is }) => is(record));
  });
  const found = formats.filter((format) => format !== undefined);
  // A damaged first line doesn't hide the records after it.
  const isRecords = isObject(first) ? !isDocument(first) : found.length * 2 >= lines.length;
  if (!isRecords) return { whole: (text) => importDocument(text, sink) };
  if (found[0]) return { format: found[0].format, lines: ofRecords(found[0].importer(sink), sink) };
  if (isWhole) throw unknownJson();
  return undefined;
}

const unknownJson = (): TranscriptError =>
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

/** Imports a file with one JSON record per line. */
export function ofRecords(importer: RecordImporter, sink: TranscriptSink): LineImporter {
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
  if (isDeep(text)) throw new TranscriptError(phrase('The JSON is nested too deeply to be read.'));
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
    const system = textAt(value, 'system');
    if (system !== undefined) readRoleContent({ role: 'system', content: system }, sink);
    for (const record of list) readRoleContent(record, sink);
    return 'messages';
  }
  if (isRoleContent(value)) return readAs('messages', readRoleContent, value, sink);
  throw unknownJson();
}
