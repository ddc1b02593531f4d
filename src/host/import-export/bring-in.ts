import type * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import type { Message } from '../../core/model/message.ts';
import { contentOf } from '../../core/transcript/transcript-message.ts';
import type { ImportApp } from './import-app.ts';
import { fileName } from './file-text.ts';
import type { ImportPreview, Watch } from './scan.ts';
import { exportedBatches, transcriptBatches } from './transcript-batches.ts';

/**
 * Reads a file that was looked through into a new session, a batch at a time; undefined when cancelled. A cancelled or
 * failed import leaves no session behind. Throws `TranscriptError` and `StoreFault`.
 */
export async function bringIn(
  app: Pick<ImportApp, 'sessions' | 'clock'>,
  uri: vscode.Uri,
  preview: ImportPreview,
  watch: Watch,
): Promise<number | undefined> {
  if (watch.isCancelled()) return undefined;
  const title = fileName(uri).replace(/\.[a-z0-9]+$/i, '');
  const batches = preview.kind === 'exact' ? exactMessages(uri) : newMessages(app, uri);
  return importMessages(app, title, batches, {
    isCancelled: watch.isCancelled,
    report: (_, messages) => watch.report(messages / Math.max(1, preview.messages), messages),
  });
}

/**
 * Takes messages into a new session, a batch at a time; undefined when cancelled. A cancelled or failed import leaves
 * no session behind. Throws `StoreFault`.
 */
export async function importMessages(
  app: Pick<ImportApp, 'sessions' | 'clock'>,
  title: string,
  batches: AsyncIterable<readonly Message[]>,
  watch: Watch,
): Promise<number | undefined> {
  const current = app.sessions.current?.journal;
  const before = current?.isForeign === true ? undefined : current?.id;
  const titles = (await app.sessions.list()).map((one) => one.title);
  const conversation = await app.sessions.create(unused(title, titles));
  let messages = 0;
  let isWhole = false;
  try {
    isWhole = await conversation.import(async () => {
      for await (const some of batches) {
        if (watch.isCancelled()) return false;
        const events = some.map((message): SessionEvent => ({ type: 'message_added', message }));
        await conversation.journal.append(...events);
        messages += some.length;
        watch.report(0, messages);
      }
      return true;
    });
  } finally {
    if (!isWhole) await takeBack(app, conversation, before);
  }
  return isWhole ? messages : undefined;
}

/** The title itself, or with the first number that makes it another one than those. */
function unused(title: string, titles: readonly string[]): string {
  let free = title;
  for (let number = 2; titles.includes(free); number++) free = `${title} (${number})`;
  return free;
}

async function takeBack(
  app: Pick<ImportApp, 'sessions'>,
  conversation: Conversation,
  before: Conversation['journal']['id'] | undefined,
): Promise<void> {
  await conversation.journal.append({ type: 'session_deleted', deleted: true });
  if (before === undefined) await app.sessions.leave();
  else await app.sessions.open(before);
}

async function* exactMessages(uri: vscode.Uri): AsyncGenerator<readonly Message[]> {
  for await (const { messages } of exportedBatches(uri)) yield messages;
}

async function* newMessages(app: Pick<ImportApp, 'clock'>, uri: vscode.Uri): AsyncGenerator<readonly Message[]> {
  const now = app.clock.now();
  let parent: MessageId | null = null;
  for await (const { messages } of transcriptBatches(uri)) {
    const made: Message[] = [];
    for (const one of messages) {
      const message: Message = {
        id: messageId(app.clock.id()),
        parent,
        role: one.role,
        content: contentOf(one),
        at: one.at ?? now,
      };
      parent = message.id;
      made.push(message);
    }
    yield made;
  }
}
