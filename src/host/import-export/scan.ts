import type * as vscode from 'vscode';
import { messageText, type Message, type Role } from '../../core/model/message.ts';
import { phrase } from '../../core/text/phrase.ts';
import {
  TranscriptError,
  type Skipped,
  type TranscriptFormat,
  type TranscriptMessage,
} from '../../core/transcript/transcript-message.ts';
import { fileName } from './file-text.ts';
import { exportedBatches, transcriptBatches } from './transcript-batches.ts';

/** What an import of a file would bring in. */
export interface ImportPreview {
  /** `exact`: one of our own exports, whole: every message comes in as it was, with its branches and figures. */
  readonly kind: 'exact' | 'transcript';
  readonly format: TranscriptFormat;
  readonly messages: number;
  readonly roles: ReadonlyMap<Role, number>;
  /** Of the first and the last message that tell it, in milliseconds since the epoch. */
  readonly from?: number;
  readonly to?: number;
  /** The beginnings of the first messages. */
  readonly first: readonly { readonly role: Role; readonly text: string }[];
  readonly skipped: readonly Skipped[];
}

const SHOWN_MESSAGES = 3;
const SHOWN_UNITS = 200;

/** `report` is told how much of the file is read (0 to 1). */
export interface Watch {
  readonly report: (share: number, messages: number) => void;
  readonly isCancelled: () => boolean;
}

/** Reads a file to its end and keeps nothing of it; undefined when cancelled. Throws `TranscriptError`. */
export async function scanTranscript(uri: vscode.Uri, watch: Watch): Promise<ImportPreview | undefined> {
  const exact = uri.path.endsWith('.jsonl') ? await scanExported(uri, watch) : 'other';
  if (exact !== 'other') return exact;
  const tally = new Tally();
  const batches = transcriptBatches(uri);
  for (;;) {
    const next = await batches.next();
    if (watch.isCancelled()) return undefined;
    if (next.done === true) {
      if (tally.messages === 0)
        throw new TranscriptError(phrase('No messages found in {0}. Select another file.', fileName(uri)));
      return { kind: 'transcript', ...next.value, ...tally.result() };
    }
    for (const one of next.value.messages) tally.add(one);
    watch.report(next.value.share, tally.messages);
  }
}

/** `other` for a file that has a line which is no message of ours, or an id twice: an importer may still read it. */
async function scanExported(uri: vscode.Uri, watch: Watch): Promise<ImportPreview | undefined | 'other'> {
  const tally = new Tally();
  const ids = new Set<string>();
  try {
    for await (const { messages, share } of exportedBatches(uri)) {
      if (watch.isCancelled()) return undefined;
      for (const one of messages) {
        ids.add(one.id);
        tally.add({ role: one.role, at: one.at, text: textOfMessage(one) });
      }
      watch.report(share, tally.messages);
    }
  } catch (error) {
    if (TranscriptError.is(error)) return 'other';
    throw error;
  }
  if (tally.messages === 0 || ids.size < tally.messages) return 'other';
  return { kind: 'exact', format: 'threadkeeper', skipped: [], ...tally.result() };
}

const textOfMessage = ({ content }: Message): string => messageText({ content });

class Tally {
  messages = 0;
  readonly #roles = new Map<Role, number>();
  readonly #first: { role: Role; text: string }[] = [];
  #from: number | undefined;
  #to: number | undefined;

  add({ role, text, at }: Pick<TranscriptMessage, 'role' | 'text' | 'at'>): void {
    this.messages++;
    this.#roles.set(role, (this.#roles.get(role) ?? 0) + 1);
    if (this.#first.length < SHOWN_MESSAGES && text.trim() !== '')
      this.#first.push({ role, text: text.trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN_UNITS) });
    if (at === undefined) return;
    this.#from ??= at;
    this.#to = at;
  }

  result(): Pick<ImportPreview, 'messages' | 'roles' | 'first' | 'from' | 'to'> {
    return {
      messages: this.messages,
      roles: this.#roles,
      first: this.#first,
      ...(this.#from !== undefined && { from: this.#from }),
      ...(this.#to !== undefined && { to: this.#to }),
    };
  }
}
