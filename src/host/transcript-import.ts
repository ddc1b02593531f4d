import { phrase } from '../core/text/phrase.ts';
import * as vscode from 'vscode';
import { messageId, type MessageId } from '../core/model/ids.ts';
import type { Message } from '../core/model/message.ts';
import type { SessionEvent } from '../core/journal/event.ts';
import {
  contentOf,
  TranscriptError,
  type Skipped,
  type TranscriptMessage,
} from '../core/transcript/transcript-message.ts';
import type { Conversation } from '../app/conversation.ts';
import type { Sessions } from '../app/sessions.ts';

/** Messages written to the journal at once. */
const BATCH = 200;

export interface ImportResult {
  readonly conversation: Conversation;
  readonly messages: number;
  readonly skipped: readonly Skipped[];
}

/**
 * Reads a transcript into a new session. A cancelled or failed import leaves the session that was open as it was.
 * Throws `TranscriptError` for what cannot be read.
 */
export async function importTranscript(
  uri: vscode.Uri,
  sessions: Sessions,
  newId: () => string,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  cancel: vscode.CancellationToken,
): Promise<ImportResult | undefined> {
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const { messages, skipped } = await readTranscript(await readFile(uri, name));
  if (messages.length === 0)
    throw new TranscriptError(phrase('No messages were found in {0}; choose another file.', name));
  const cancelled = (): boolean => cancel.isCancellationRequested;
  if (cancelled()) return undefined;
  const conversation = await sessions.create(name.replace(/\.[a-z0-9]+$/i, ''));
  const now = Date.now();
  let parent: MessageId | null = null;
  const complete = await conversation.import(async () => {
    for (let from = 0; from < messages.length; from += BATCH) {
      if (cancelled()) {
        await conversation.journal.append({ type: 'session_deleted', deleted: true });
        return false;
      }
      const events: SessionEvent[] = [];
      for (const one of messages.slice(from, from + BATCH)) {
        const message: Message = {
          id: messageId(newId()),
          parent,
          role: one.role,
          content: contentOf(one),
          at: one.at ?? now,
        };
        parent = message.id;
        events.push({ type: 'message_added', message });
      }
      await conversation.journal.append(...events);
      progress.report({
        message: vscode.l10n.t('{0} of {1} messages', Math.min(from + BATCH, messages.length), messages.length),
        increment: (BATCH / messages.length) * 100,
      });
    }
    return true;
  });
  if (!complete) return undefined;
  return { conversation, messages: messages.length, skipped };
}

async function readFile(uri: vscode.Uri, name: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError)) throw error;
    throw new TranscriptError(phrase('{0} cannot be read; check that it is there and that you may read it.', name));
  }
  return new TextDecoder().decode(bytes);
}

/** UTF-16 units given to the reader between two pauses. */
const CHUNK = 500_000;

async function readTranscript(
  text: string,
): Promise<{ messages: readonly TranscriptMessage[]; skipped: readonly Skipped[] }> {
  const { TranscriptReader } = await import('../core/transcript/transcript-reader.ts');
  const reader = new TranscriptReader();
  const messages: TranscriptMessage[] = [];
  for (let from = 0; from < text.length; from += CHUNK) {
    messages.push(...reader.push(text.slice(from, from + CHUNK)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  messages.push(...reader.end());
  return { messages, skipped: reader.summary().skipped };
}
