import * as vscode from 'vscode';
import { TOOL_NAMES, TOOLS, type Tool } from '../../app/library/source.ts';
import { isConfirmed, withCancellableProgress, pickOrShowInfo, showInfo } from '../platform/notifications.ts';
import {
  dateText,
  dateTimeText,
  countText,
  itemText,
  roleName,
  sessionsText,
  sizeText,
  titleText,
  translated,
} from '../platform/l10n.ts';
import { validSettings, updateSetting } from '../platform/settings.ts';
import { relativePath } from '../platform/workspace-files.ts';
import type { ExternalChats } from './external-chats.ts';
import { isChatRow } from './chat-rows.ts';
import type { DroppedEvent } from '../../app/library/dropped-events.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { CopiedSession } from '../../app/library/library.ts';
import { Cancelled, CancellableYielder } from '../../core/pace/cancellable-yielder.ts';
import { messageText, ROLES, type Message } from '../../core/model/message.ts';
import { contentOf } from '../../core/transcript/transcript-message.ts';
import type { ChatApp } from '../chat/chat-app.ts';
import { modelSelectedEvents } from '../platform/session-changes.ts';
import { showInComposer } from '../chat/chat-commands.ts';
import { ExternalChatJournal, externalChatSessionId } from '../../app/library/external-chat-journal.ts';
import type { ListedChat } from '../../app/library/chat-library-calls.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import { importMessages } from '../import-export/import-file.ts';
import type { HostApp } from '../platform/host-app.ts';
import type { ChatHit } from '../../app/library/chat-index.ts';
import { KEY_EVENT_KINDS, type KeyEventKind } from '../../core/model/key-event.ts';
import { CHAT_FILTERS, parseChatQuery, type ChatFilter, type ParsedChatQuery } from '../../core/search/chat-query.ts';

/** Shows which tools have chats, asks from which to copy them, and copies them. */
export async function copyChats({ chats }: Pick<OpenedChatApp, 'chats'>): Promise<unknown> {
  if (!vscode.workspace.isTrusted) return showInfo(restrictedModeText());
  const found = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Searching for chats from other tools…') },
    () => chats.library.find(),
  );
  const { tools } = validSettings().sources;
  const items = found
    .filter(({ tool, sessions, unreadable }) => sessions + unreadable.length > 0 || tools.includes(tool))
    .map(({ tool, sessions, bytes, newestAt, unreadable }) => ({
      label: TOOL_NAMES[tool],
      description: [
        sessionsText(sessions),
        ...(bytes > 0 ? [sizeText(bytes)] : []),
        ...(newestAt > 0 ? [dateText(newestAt)] : []),
      ].join(' · '),
      detail: unreadable.map(({ path, reason }) => `${path}: ${translated(reason)}`).join(' · '),
      picked: tools.length === 0 ? sessions > 0 : tools.includes(tool),
      tool,
    }));
  if (items.length === 0) return showInfo(vscode.l10n.t('No chats from other tools found on this machine.'));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Copy Chats from Other Tools'),
    placeHolder: vscode.l10n.t('Select tools whose current and future chats are copied locally'),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (!picked) return false;
  const chosen = picked.map(({ tool }) => tool);
  await setTools(chosen);
  if (chosen.length === 0) return undefined;
  await readWithProgress(chats);
  return vscode.commands.executeCommand('threadkeeper.allChats.focus');
}

const restrictedModeText = (): string => vscode.l10n.t('Chats from other tools aren’t read in Restricted Mode.');

const setTools = (tools: readonly Tool[]): Promise<void> => updateSetting('sources.tools', tools);

async function readWithProgress(chats: ExternalChats): Promise<void> {
  await withCancellableProgress(vscode.l10n.t('Reading chats from other tools…'), async (signal, report) => {
    signal.addEventListener('abort', () => void chats.library.cancel());
    const subscription = chats.onLibraryEvent((news) => {
      if (news.type !== 'progress') return;
      const { done, total } = news;
      report(done / total, vscode.l10n.t('{0} of {1}', countText(done), countText(total)));
    });
    await chats.follow().finally(() => void subscription.dispose());
  });
}

/** Removes the copies of a tool's chats, and stops following it. */
export async function deleteCopiedChats({ chats }: Pick<OpenedChatApp, 'chats'>, row?: unknown): Promise<unknown> {
  const tool = (isChatRow(row) && row.tool) || (await pickTool(chats));
  if (!tool) return false;
  const question = vscode.l10n.t('Delete the copies of all chats from {0}?', TOOL_NAMES[tool]);
  const detail = vscode.l10n.t(
    'Threadkeeper’s copies will be permanently deleted, including copies of chats that the tool no longer has, and no more chats will be copied from the tool. The tool’s own chats aren’t affected.',
  );
  if (!(await isConfirmed(question, detail, vscode.l10n.t('Delete Copies')))) return false;
  await setTools(validSettings().sources.tools.filter((one) => one !== tool));
  await chats.library.forget(tool);
  return showInfo(vscode.l10n.t('Deleted the copies of chats from {0}.', TOOL_NAMES[tool]));
}

async function pickTool(chats: ExternalChats): Promise<Tool | undefined> {
  const { chats: kept, copied } = await chats.library.list();
  const items = copied.map((tool) => {
    const count = kept.filter(({ entry }) => entry.tool === tool).length;
    return { label: TOOL_NAMES[tool], description: sessionsText(count), tool };
  });
  const emptyText = vscode.l10n.t('No chats from other tools have been copied.');
  return (await pickOrShowInfo(items, emptyText, { title: vscode.l10n.t('Delete Copied Chats') }))?.tool;
}

/** Puts the key events that a chat's compaction dropped on the clipboard, as a bulleted list. */
export async function copyDropped(_app: unknown, row: unknown): Promise<unknown> {
  if (!isChatRow(row) || !row.dropped) return false;
  await vscode.env.clipboard.writeText(bulletList(row.dropped));
  return showInfo(vscode.l10n.t('Copied'));
}

/**
 * Attaches the key events that a tool's compaction dropped to the next message of the session that continues the chat.
 * Continues the chat first if that session isn't open. As an attachment, they aren't mistaken for the user's own words.
 */
export async function restoreDropped(app: OpenedChatApp & ChatApp, row: unknown): Promise<unknown> {
  if (!isChatRow(row) || !row.chat || !row.dropped) return false;
  const copy = await app.chats.library.read(row.chat.key);
  if (!copy) {
    showInfo(vscode.l10n.t('The copy of this chat no longer exists.'));
    return false;
  }
  if (!continues(app.sessions.current, copy) && !((await openChat(app, row.chat)) && (await continueHere(app))))
    return false;
  const conversation = await app.sessions.currentOrLatest();
  const name = vscode.l10n.t('Key events dropped by {0}', TOOL_NAMES[row.chat.entry.tool]);
  await app.attachments.addAll(conversation, { kind: 'paste', name, text: bulletList(row.dropped) });
  return showInComposer(app, conversation.journal.id, '');
}

const bulletList = (events: readonly DroppedEvent[]): string =>
  events.map(({ quote }) => `- ${quote.replaceAll('\n', '\n  ')}`).join('\n');

/** Whether a session's first message is that of the chat. */
function continues(session: Conversation | undefined, { messages: [first] }: CopiedSession): boolean {
  if (!session || session.journal.readOnly || !first) return false;
  const start = session.state.messages.get(session.state.path[0]!);
  const isSameTime = first.at === undefined || start?.at === first.at;
  return start !== undefined && isSameTime && messageText(start) === messageText({ content: contentOf(first) });
}

export interface OpenedChatApp extends HostApp {
  readonly chats: ExternalChats;
}

const BATCH_SIZE = 200;

/** Number of chats opened so far. If another one is opened while a chat is read, the first one isn't shown. */
let openings = 0;

/**
 * Opens a chat read-only, at the message at a 0-based position, if given. Returns false if its copy is gone, or if
 * another chat was opened meanwhile.
 */
export async function openChat(app: OpenedChatApp, { key, entry }: ListedChat, position?: number): Promise<boolean> {
  const opening = ++openings;
  const id = externalChatSessionId(key, entry);
  if (app.sessions.current?.journal.id !== id) {
    const copy = await app.chats.library.read(key);
    if (opening !== openings) return false;
    if (!copy) {
      showInfo(vscode.l10n.t('The copy of this chat no longer exists.'));
      return false;
    }
    const journal = new ExternalChatJournal(id, entry, copy, (error) => app.describe(error));
    journal.add(modelSelectedEvents(app.sessions.current?.state));
    const conversation = await app.sessions.show(journal);
    const { counts, counter } = conversation;
    journal.add(journal.compactions({ message: (one) => counts.known(one) ?? 0, text: (text) => counter.text(text) }));
    void showKeyEvents(app, conversation, journal).catch((error: unknown) => app.describe(error));
  }
  if (position === undefined) app.panel.open();
  else app.panel.reveal(id, position);
  return true;
}

/** Detects and adds the chat's key events in small steps, and stops when another session is shown. */
async function showKeyEvents(app: HostApp, conversation: Conversation, journal: ExternalChatJournal): Promise<void> {
  const { keyEventsOf } = await import('../../app/library/chat-events.ts');
  const { runYielding } = await import('../../core/pace/steps.ts');
  const { state } = journal;
  const messages = state.path.flatMap((id) => {
    const message = state.messages.get(id);
    return message ? [{ role: message.role, text: messageText(message) }] : [];
  });
  const closed = {
    get aborted() {
      return app.sessions.current !== conversation;
    },
  };
  const steps = keyEventsOf(messages, (index) => state.path[index]!);
  try {
    const found = await runYielding(steps, new CancellableYielder(app.clock.yielder, closed));
    journal.add(found.map((event) => ({ type: 'event_added', event })));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
  }
}

/** Imports the open chat as a session, up to a message or completely. */
export async function continueHere(app: OpenedChatApp, argument?: unknown): Promise<boolean> {
  const { current } = app.sessions;
  if (!(current?.journal instanceof ExternalChatJournal)) return false;
  const { state } = current;
  const last = typeof argument === 'string' ? state.positionOf(messageId(argument)) : undefined;
  let end = (last ?? state.path.length - 1) + 1;
  // Keep a tool call together with its result.
  while (end < state.path.length && state.messages.get(state.path[end]!)?.role === 'tool') end++;
  const path = state.path.slice(0, end);
  const watch = { isCancelled: () => false, report: () => undefined };
  const count = await importMessages(app, state.title, batches(app, current, path), watch, modelSelectedEvents(state));
  app.panel.open();
  if (count === undefined) return false;
  const { notice } = current.journal;
  const continued = vscode.l10n.t('Continued in a new session. The original chat wasn’t changed.');
  showInfo(notice ? `${continued} ${translated(notice)}` : continued);
  return true;
}

async function* batches(
  app: Pick<HostApp, 'clock'>,
  { state }: Conversation,
  path: readonly MessageId[],
): AsyncGenerator<{ readonly messages: readonly Message[] }> {
  let parent: MessageId | null = null;
  for (let from = 0; from < path.length; from += BATCH_SIZE) {
    const batch: Message[] = [];
    for (const id of path.slice(from, from + BATCH_SIZE)) {
      const message: Message = { ...state.messages.get(id)!, id: messageId(app.clock.id()), parent };
      parent = message.id;
      batch.push(message);
    }
    yield await Promise.resolve({ messages: batch });
  }
}

const MAX_HITS = 30;
/** Maximum number of results to examine for a kind of key event. */
const MAX_EXAMINED = 300;
/** Length of the part of a message in which a kind of key event is searched for without words, in UTF-16 units. */
const EXAMINED_UNITS = 2000;
/** Pause in typing before a search starts, in ms. */
const TYPING_PAUSE_MS = 150;

type Item = vscode.QuickPickItem & { readonly chat?: ListedChat; readonly message?: number };

export async function searchChats(app: OpenedChatApp, argument?: unknown): Promise<unknown> {
  if (!vscode.workspace.isTrusted) return showInfo(restrictedModeText());
  const { chats: kept } = await app.chats.list();
  if (kept.length === 0)
    return showInfo(
      vscode.l10n.t('There are no chats to search. Run Copy Chats from Other Tools and select at least one tool.'),
    );
  const chats = new Map(kept.map((chat) => [chat.key, chat]));
  const picked = await pickWhileTyping(typeof argument === 'string' ? argument : '', async (typed) =>
    searchItems(app, parseChatQuery(typed), chats),
  );
  return picked?.chat ? openChat(app, picked.chat, picked.message) : false;
}

/** The results of a search, or one item that says why there are none. */
async function searchItems(
  app: OpenedChatApp,
  { invalid, kind, tool, role, ...query }: ParsedChatQuery,
  chats: ReadonlyMap<string, ListedChat>,
): Promise<Item[]> {
  const toolsWithChats = new Set(Array.from(chats.values(), ({ entry }) => entry.tool));
  if (invalid) return [invalidFilterItem(invalid, toolsWithChats)];
  const tools = tool === undefined ? undefined : TOOLS.filter((one) => isNamed(one, tool));
  if (tool !== undefined && tools?.length === 0)
    return [invalidFilterItem({ filter: 'tool', value: tool }, toolsWithChats)];
  const { library } = app.chats;
  const roles = role && [role];
  const isFilterOnly = query.text === '';
  if (kind === undefined) {
    // Each chat is listed once, by its last message that isn't the output of a tool.
    const newest = isFilterOnly ? { newestPerChat: 1, roles: roles ?? (['user', 'assistant'] as const) } : { roles };
    const hits = await library.search({ ...query, ...newest, tools, limit: MAX_HITS });
    return hits.length > 0 ? itemsOf(hits, chats) : [messageItem(vscode.l10n.t('No results'))];
  }
  const examined = isFilterOnly ? { newestPerChat: MAX_EXAMINED, excerptUnits: EXAMINED_UNITS } : {};
  const hits = await library.search({ ...query, ...examined, tools, roles, limit: MAX_EXAMINED });
  const ofKind = await hitsOfKind(app, hits, kind, isFilterOnly);
  if (ofKind.length > 0) return itemsOf(ofKind, chats);
  return [
    messageItem(
      vscode.l10n.t('No results'),
      isFilterOnly && hits.length === MAX_EXAMINED
        ? vscode.l10n.t('Only the newest messages were searched. Add a word to search all of them.')
        : undefined,
    ),
  ];
}

/** The first results with a key event of a kind, which becomes their text if `isEventShown`. */
async function hitsOfKind(
  { clock }: OpenedChatApp,
  hits: readonly ChatHit[],
  kind: KeyEventKind,
  isEventShown: boolean,
): Promise<readonly ChatHit[]> {
  const { detectSteps } = await import('../../core/events/detect.ts');
  const { runYielding } = await import('../../core/pace/steps.ts');
  const ofKind: ChatHit[] = [];
  for (const hit of hits) {
    const events = await runYielding(detectSteps({ role: hit.role, text: hit.text }, {}), clock.yielder);
    const event = events.find((one) => one.kind === kind);
    if (event) ofKind.push(isEventShown ? { ...hit, text: event.quote } : hit);
    if (ofKind.length === MAX_HITS) break;
  }
  return ofKind;
}

const messageItem = (label: string, detail?: string): Item => ({
  label,
  ...(detail !== undefined && { detail }),
  alwaysShow: true,
});

/** The filters, and how to search shell commands. They don't fit in the placeholder. */
const syntaxItem = (): Item =>
  messageItem(
    vscode.l10n.t('Filters: {0}', CHAT_FILTERS.map((filter) => `${filter}:`).join(' ')),
    vscode.l10n.t('Start with {0} to search shell commands', 'cmd:'),
  );

function invalidFilterItem(
  { filter, value }: { readonly filter: ChatFilter; readonly value: string },
  tools: ReadonlySet<Tool>,
): Item {
  const label =
    value === ''
      ? vscode.l10n.t('Enter a value after {0}', `${filter}:`)
      : vscode.l10n.t('Invalid value for {0}: {1}', filter, value);
  return messageItem(label, validValuesText(filter, tools));
}

/** `tools` are those with chats. A list is shown without an introduction, with which it would be cut off. */
function validValuesText(filter: ChatFilter, tools: ReadonlySet<Tool>): string {
  switch (filter) {
    case 'tool':
      return [...tools].join(', ');
    case 'role':
      return ROLES.join(', ');
    case 'kind':
      return KEY_EVENT_KINDS.join(', ');
    case 'since':
    case 'before':
      return vscode.l10n.t('A date such as {0}, or with a time: {1}', '2026-01-31', '2026-01-31T09:30');
    case 'file':
    case 'workspace':
      return vscode.l10n.t('Valid values: a path, or the end of one');
  }
}

const isNamed = (tool: Tool, name: string): boolean =>
  [tool, TOOL_NAMES[tool]].some((one) => one.toLowerCase().includes(name.toLowerCase()));

function itemsOf(hits: readonly ChatHit[], chats: ReadonlyMap<string, ListedChat>): Item[] {
  return hits.flatMap(({ key, message, role, at, text }) => {
    const chat = chats.get(key);
    if (!chat) return [];
    const { tool, title, updatedAt } = chat.entry;
    const when = dateText(at ?? updatedAt);
    return [
      {
        label: itemText(text, 150),
        description: `${TOOL_NAMES[tool]} · ${when}`,
        detail: `${itemText(titleText(title))} · ${message + 1} · ${roleName(role)}`,
        // Prevents the picker from filtering the results again.
        alwaysShow: true,
        chat,
        message,
      },
    ];
  });
}

function pickWhileTyping(initial: string, itemsFor: (typed: string) => Promise<Item[]>): Promise<Item | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = vscode.l10n.t('Search Chats from Other Tools');
  picker.placeholder = vscode.l10n.t('Search text');
  picker.value = initial;
  let timer: NodeJS.Timeout | undefined;
  let latestSearch = 0;
  const search = async (): Promise<void> => {
    const searchNumber = ++latestSearch;
    const hasText = picker.value.trim() !== '';
    picker.busy = hasText;
    const items = hasText ? await itemsFor(picker.value) : [syntaxItem()];
    if (searchNumber !== latestSearch) return;
    picker.busy = false;
    picker.items = items;
  };
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
      picker.hide();
    };
    picker.onDidChangeValue(() => {
      clearTimeout(timer);
      timer = setTimeout(() => void search().catch(failed), TYPING_PAUSE_MS);
    });
    picker.onDidAccept(() => {
      const [item] = picker.selectedItems;
      // Enter may be pressed before there are results, or on a row that isn't one.
      if (!item?.chat) return;
      resolve(item);
      picker.hide();
    });
    picker.onDidHide(() => {
      clearTimeout(timer);
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    void search().catch(failed);
  });
}

/** Lists the chats in which a file was read or edited, newest first, and opens the selected one at its last edit. */
export async function chatsAboutFile(app: OpenedChatApp, argument?: unknown): Promise<unknown> {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (!uri) return showInfo(vscode.l10n.t('Open a file to see the chats about it.'));
  if (!vscode.workspace.isTrusted) return showInfo(restrictedModeText());
  const { chats: kept } = await app.chats.list();
  const uses = Map.groupBy(await app.chats.library.fileEffects(uri.fsPath), ({ key }) => key);
  const items = kept
    .toSorted((a, b) => b.entry.updatedAt - a.entry.updatedAt)
    .flatMap((chat) => {
      const usesInChat = uses.get(chat.key) ?? [];
      const target = usesInChat.findLast(({ kind }) => kind === 'edit') ?? usesInChat.at(-1);
      if (!target) return [];
      const edits = usesInChat.filter(({ kind }) => kind === 'edit').length;
      return [
        {
          label: `$(${edits > 0 ? 'edit' : 'eye'}) ${itemText(titleText(chat.entry.title))}`,
          description: `${TOOL_NAMES[chat.entry.tool]} · ${dateTimeText(chat.entry.updatedAt)}`,
          detail: vscode.l10n.t('Edits: {0}, reads: {1}', edits, usesInChat.length - edits),
          chat,
          message: target.message,
        },
      ];
    });
  if (items.length === 0) return showInfo(vscode.l10n.t('No reads or edits of this file found in the copied chats.'));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Chats About {0}', relativePath(uri)),
    matchOnDescription: true,
  });
  return picked ? openChat(app, picked.chat, picked.message) : false;
}
