import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { KeptJournal, keptSessionId } from '../../app/library/kept-journal.ts';
import type { ListedChat } from '../../app/library/chat-library.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import { messageText, type Message } from '../../core/model/message.ts';
import type { ChatApp } from '../chat/chat-app.ts';
import { importMessages, type ImportApp } from '../import-export/import-file.ts';
import { inform } from '../platform/inform.ts';
import type { AllChats } from './all-chats.ts';

/** What opening a chat of another tool needs of the product. */
export interface OpenedChatApp extends ImportApp {
  readonly chats: AllChats;
  readonly panel: ImportApp['panel'] & { reveal(session: Conversation['journal']['id'], position: number): void };
  describe: ChatApp['describe'];
}

/** Messages that are imported at once. */
const BATCH = 200;

/** Opens a chat for reading, at a message where one is given by its 0-based position. False when it is not kept. */
export async function openChat(app: OpenedChatApp, { key, entry }: ListedChat, position?: number): Promise<boolean> {
  const id = keptSessionId(key, entry);
  if (app.sessions.current?.journal.id !== id) {
    const copy = await app.chats.library.read(key);
    if (!copy) {
      inform(vscode.l10n.t('The copy of this chat was deleted.'));
      return false;
    }
    const journal = new KeptJournal(id, entry, copy, (error) => app.describe(error));
    const conversation = await app.sessions.show(journal);
    const { counts, counter } = conversation;
    journal.add(journal.compactions({ message: (one) => counts.known(one) ?? 0, text: (text) => counter.text(text) }));
    void showKeyEvents(app, conversation, journal).catch((error: unknown) => app.describe(error));
  }
  if (position === undefined) app.panel.open();
  else app.panel.reveal(id, position);
  return true;
}

/** Finds the chat's key events while it is being read. */
async function showKeyEvents(app: OpenedChatApp, conversation: Conversation, journal: KeptJournal): Promise<void> {
  const { keyEventsOf } = await import('../../app/library/dropped-events.ts');
  const { resting } = await import('../../core/pace/steps.ts');
  const { state } = journal;
  const messages = state.path.flatMap((id) => {
    const message = state.messages.get(id);
    return message ? [{ role: message.role, text: messageText(message) }] : [];
  });
  const isOpen = (): boolean => app.sessions.current === conversation;
  const found = await resting(
    keyEventsOf(messages, (index) => state.path[index]!),
    {
      isDue: () => !isOpen() || app.clock.breather.isDue(),
      rest: async () => {
        if (!isOpen()) throw new Closed('the chat is no longer open');
        await app.clock.breather.rest();
      },
    },
  ).catch((error: unknown) => {
    if (error instanceof Closed) return [];
    throw error;
  });
  journal.add(found.map((event) => ({ type: 'event_added', event })));
}

class Closed extends Error {}

/** Makes the chat that is open for reading a session of ours, up to a message or as a whole. */
export async function continueHere(app: OpenedChatApp, argument?: unknown): Promise<boolean> {
  const { current } = app.sessions;
  if (!(current?.journal instanceof KeptJournal)) return false;
  const { state } = current;
  const last = typeof argument === 'string' ? state.positionOf(messageId(argument)) : undefined;
  let end = (last ?? state.path.length - 1) + 1;
  // A tool call stays with its result.
  while (end < state.path.length && state.messages.get(state.path[end]!)?.role === 'tool') end++;
  const path = state.path.slice(0, end);
  const messages = await importMessages(app, state.title, batches(app, current, path), {
    isCancelled: () => false,
    report: () => undefined,
  });
  app.panel.open();
  if (messages !== undefined) inform(vscode.l10n.t('Continued in a new session. The original chat isn’t changed.'));
  return true;
}

async function* batches(
  app: Pick<ImportApp, 'clock'>,
  { state }: Conversation,
  path: readonly MessageId[],
): AsyncGenerator<readonly Message[]> {
  let parent: MessageId | null = null;
  for (let from = 0; from < path.length; from += BATCH) {
    const made: Message[] = [];
    for (const id of path.slice(from, from + BATCH)) {
      const message: Message = { ...state.messages.get(id)!, id: messageId(app.clock.id()), parent };
      parent = message.id;
      made.push(message);
    }
    yield await Promise.resolve(made);
  }
}
