import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { CopiedSession } from '../../app/library/library.ts';
import { TOOL_NAMES } from '../../app/library/source.ts';
import { messageText } from '../../core/model/message.ts';
import { contentOf } from '../../core/transcript/transcript-message.ts';
import type { ChatApp } from '../chat/chat-app.ts';
import { showInComposer } from '../chat/editor-commands.ts';
import { inform } from '../platform/inform.ts';
import { isDroppedRow, type DroppedEventRow, type DroppedRow } from './chat-rows.ts';
import { continueHere, openChat, type OpenedChatApp } from './opened-chat.ts';

/** Copies the key events of a row that a compaction lost. */
export async function copyDropped(_app: unknown, row: unknown): Promise<unknown> {
  if (!isDroppedRow(row)) return false;
  await vscode.env.clipboard.writeText(listOf(row));
  inform(vscode.l10n.t('Copied'));
  return undefined;
}

/**
 * Attaches the key events of a row to the next message of the session that continues the chat; the chat is continued
 * first where that session is not open. As an attachment they are fenced off, and no words of the user's.
 */
export async function restoreDropped(app: OpenedChatApp & ChatApp, row: unknown): Promise<unknown> {
  if (!isDroppedRow(row)) return false;
  const copy = await app.chats.library.read(row.chat.key);
  if (!copy) {
    inform(vscode.l10n.t('The copy of this chat was deleted.'));
    return false;
  }
  if (!continues(app.sessions.current, copy)) {
    if (!(await openChat(app, row.chat)) || !(await continueHere(app))) return false;
  }
  const conversation = await app.sessions.currentOrLatest();
  const name = vscode.l10n.t('Dropped by {0}', TOOL_NAMES[row.chat.entry.tool]);
  app.attachments.hold(conversation, { kind: 'paste', name, text: listOf(row) });
  showInComposer(app, conversation.journal.id, '');
  return undefined;
}

const listOf = (row: DroppedRow | DroppedEventRow): string =>
  (row.kind === 'dropped' ? row.group.events : [row.event])
    .map(({ quote }) => `- ${quote.replaceAll('\n', '\n  ')}`)
    .join('\n');

/** Whether a session of ours begins as the chat does. */
function continues(session: Conversation | undefined, { messages: [first] }: CopiedSession): boolean {
  if (!session || session.journal.readOnly || !first) return false;
  const own = session.state.messages.get(session.state.path[0]!);
  const isSameTime = first.at === undefined || own?.at === first.at;
  return own !== undefined && isSameTime && messageText(own) === messageText({ content: contentOf(first) });
}
