import { createReadStream } from 'node:fs';
import * as vscode from 'vscode';
import { decodedText } from '../../storage/decoded-text.ts';
import { errorCode } from '../../core/text/error-details.ts';
import { phrase } from '../../core/text/phrase.ts';
import type { Skipped } from '../../core/transcript/skipped-content.ts';
import {
  TranscriptError,
  type TranscriptConversation,
  type TranscriptFormat,
  type TranscriptMessage,
} from '../../core/transcript/transcript-message.ts';
import { messageText, type Message, type Role } from '../../core/model/message.ts';
import { itemText } from '../platform/l10n.ts';

/** Number of bytes to read at once; processing them takes a few milliseconds. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file's text in chunks, so that files of any size take little memory. `share` is the part of the file (0 to 1)
 * that has been read. Throws `TranscriptError`.
 */
async function* readTextChunks(uri: vscode.Uri): AsyncGenerator<{ readonly text: string; readonly share: number }> {
  let read = 0;
  const countedChunks = async function* (): AsyncGenerator<Uint8Array> {
    for await (const bytes of fileChunks(uri)) {
      read += bytes.length;
      yield bytes;
    }
  };
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    for await (const text of decodedText(countedChunks())) {
      yield { text, share: Math.min(1, read / Math.max(1, size)) };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new TranscriptError(
      phrase('Can’t read {0}. Check that the file exists and that you have permission to read it.', fileName(uri)),
    );
  }
}

export const fileName = ({ path }: vscode.Uri): string => path.slice(path.lastIndexOf('/') + 1);

/** The bytes of a file in chunks. Files that aren't on disk are read at once: VS Code only returns whole files. */
async function* fileChunks(uri: vscode.Uri): AsyncGenerator<Uint8Array> {
  if (uri.scheme === 'file') return yield* createReadStream(uri.fsPath, { highWaterMark: CHUNK_BYTES });
  const bytes = await vscode.workspace.fs.readFile(uri);
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

/** Messages, and the share of the file (0 to 1) that has been read including them. The last batch has the totals. */
interface Batch<T> {
  readonly messages: readonly T[];
  readonly share: number;
  readonly totals?: Pick<ImportPreview, 'format' | 'title' | 'skipped' | 'conversations'>;
}

/** Maximum number of messages per batch; processing them takes a few milliseconds. */
const MAX_BATCH = 200;

/** Reads a transcript in any known format. Throws `TranscriptError`. */
export async function* transcriptBatches(uri: vscode.Uri): AsyncGenerator<Batch<TranscriptMessage>> {
  const { TranscriptReader } = await import('../../core/transcript/transcript-reader.ts');
  const reader = new TranscriptReader();
  for await (const { text, share } of readTextChunks(uri)) yield* inBatches(reader.push(text), share);
  yield* inBatches(reader.end(), 1);
  yield { messages: [], share: 1, totals: reader.totals() };
}

/** Reads an exported session with every message unchanged. Throws `TranscriptError` for an invalid line. */
export async function* exportedBatches(uri: vscode.Uri): AsyncGenerator<Batch<Message>> {
  const { sessionFromJsonl } = await import('../../core/transcript/session-jsonl.ts');
  let rest = '';
  for await (const { text, share } of readTextChunks(uri)) {
    const end = text.lastIndexOf('\n') + 1;
    // Joins chunks only at the end of a line: one with an image spans many chunks, and copying it each time is slow.
    if (end > 0) {
      yield { messages: sessionFromJsonl(rest + text.slice(0, end)), share };
      rest = '';
    }
    rest += text.slice(end);
  }
  if (rest !== '') yield { messages: sessionFromJsonl(rest), share: 1 };
}

/** Returns the messages of each conversation of a transcript; undefined if canceled. Throws `TranscriptError`. */
export async function readConversations(
  uri: vscode.Uri,
  conversations: readonly TranscriptConversation[],
  { isCancelled }: Pick<ImportProgress, 'isCancelled'>,
): Promise<readonly (readonly TranscriptMessage[])[] | undefined> {
  const all: TranscriptMessage[] = [];
  for await (const { messages } of transcriptBatches(uri)) {
    if (isCancelled()) return undefined;
    all.push(...messages);
  }
  let end = 0;
  return conversations.map(({ messages }) => all.slice(end, (end += messages)));
}

/** At least one batch, which may be empty, because progress is reported and cancellation checked after each. */
export function* inBatches<T>(messages: readonly T[], share: number): Generator<Batch<T>> {
  for (let from = 0; from === 0 || from < messages.length; from += MAX_BATCH)
    yield { messages: messages.slice(from, from + MAX_BATCH), share };
}

export interface ImportPreview {
  /** Whether the file is an exported session, whose messages are imported unchanged, including branches and usage. */
  readonly isExact: boolean;
  readonly format: TranscriptFormat;
  readonly title?: string | undefined;
  readonly messages: number;
  readonly roles: ReadonlyMap<Role, number>;
  /** The earliest and the latest time of a message, in milliseconds since the epoch. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The beginnings of the first messages, for a Quick Pick. */
  readonly first: readonly { readonly role: Role; readonly text: string }[];
  readonly skipped: readonly Skipped[];
  /** The conversations, in order, if the file is in a format that can have several. */
  readonly conversations: readonly TranscriptConversation[];
}

const SHOWN_MESSAGES = 3;
const SHOWN_UNITS = 200;

/** `report` is called with the share of the file (0 to 1) and the number of messages that have been read. */
export interface ImportProgress {
  readonly report: (share: number, messages: number) => void;
  readonly isCancelled: () => boolean;
}

/** Reads a whole file without keeping its messages; undefined if canceled. Throws `TranscriptError`. */
export async function scanTranscript(uri: vscode.Uri, watch: ImportProgress): Promise<ImportPreview | undefined> {
  const exact = uri.path.endsWith('.jsonl') ? await scanExported(uri, watch) : 'other';
  if (exact !== 'other') return exact;
  const preview = await previewOf(transcriptBatches(uri), watch);
  if (preview?.messages === 0)
    throw new TranscriptError(phrase('No messages found in {0}. Select another file.', fileName(uri)));
  return preview;
}

/** Returns `other` if the file may be in another format: a line isn't an exported message, or an ID is repeated. */
async function scanExported(uri: vscode.Uri, watch: ImportProgress): Promise<ImportPreview | undefined | 'other'> {
  const ids = new Set<string>();
  const batches = async function* (): AsyncGenerator<Batch<ScannedMessage>> {
    for await (const { messages, share } of exportedBatches(uri)) {
      for (const { id } of messages) ids.add(id);
      yield { messages: messages.map((one) => ({ ...one, text: messageText(one) })), share };
    }
  };
  try {
    const preview = await previewOf(batches(), watch);
    if (preview && (preview.messages === 0 || ids.size < preview.messages)) return 'other';
    return preview && { ...preview, isExact: true };
  } catch (error) {
    if (TranscriptError.is(error)) return 'other';
    throw error;
  }
}

type ScannedMessage = Pick<TranscriptMessage, 'role' | 'text' | 'at'> & Partial<Pick<Message, 'parent'>>;

async function previewOf(
  batches: AsyncIterable<Batch<ScannedMessage>>,
  watch: ImportProgress,
): Promise<ImportPreview | undefined> {
  let totals: Batch<never>['totals'] = { format: 'threadkeeper', skipped: [], conversations: [] };
  let count = 0;
  let [from, to] = [Infinity, -Infinity];
  const roles = new Map<Role, number>();
  const first: { role: Role; text: string }[] = [];
  for await (const batch of batches) {
    if (watch.isCancelled()) return undefined;
    for (const { role, text, at, parent } of batch.messages) {
      // Exports begin with the messages of other branches.
      if (parent === null) first.length = 0;
      roles.set(role, (roles.get(role) ?? 0) + 1);
      if (first.length < SHOWN_MESSAGES && text.trim() !== '')
        first.push({ role, text: itemText(text.trim(), SHOWN_UNITS) });
      if (at !== undefined) [from, to] = [Math.min(at, from), Math.max(at, to)];
    }
    count += batch.messages.length;
    totals = batch.totals ?? totals;
    watch.report(batch.share, count);
  }
  const times = from <= to ? { from, to } : { from: undefined, to: undefined };
  return { isExact: false, ...totals, messages: count, roles, first, ...times };
}
