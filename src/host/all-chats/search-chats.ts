import * as vscode from 'vscode';
import type { ListedChat } from '../../app/library/chat-library.ts';
import type { ChatHit } from '../../app/library/chat-index.ts';
import { TOOL_NAMES, TOOLS } from '../../app/library/source.ts';
import { readTypedQuery, type TypedQuery } from '../../core/search/chat-query.ts';
import { inform } from '../platform/inform.ts';
import { locale, oneLine } from '../platform/l10n.ts';
import { openChat, type OpenedChatApp } from './opened-chat.ts';

/** Hits shown for one search. */
const MAX_HITS = 30;
/** Hits that are looked through for a kind of key event. */
const MAX_LOOKED_THROUGH = 300;
/** Words are searched once the user has stopped typing for so long (ms). */
const TYPED_MS = 150;

type Item = vscode.QuickPickItem & { readonly chat?: ListedChat; readonly message?: number };

/** Searches all kept chats while the user types, and opens the chosen place. */
export async function searchChats(app: OpenedChatApp, argument?: unknown): Promise<unknown> {
  const { chats: kept } = await app.chats.list();
  if (kept.length === 0) return inform(vscode.l10n.t('No chats from other tools have been copied.'));
  const chats = new Map(kept.map((chat) => [chat.key, chat]));
  const picked = await pickWhileTyping(typeof argument === 'string' ? argument : '', async (typed) =>
    itemsOf(await find(app, readTypedQuery(typed)), chats),
  );
  return picked?.chat ? openChat(app, picked.chat, picked.message) : false;
}

async function find({ chats, clock }: OpenedChatApp, typed: TypedQuery): Promise<readonly ChatHit[]> {
  const { kind, tool, role, ...query } = typed;
  const tools = tool === undefined ? undefined : TOOLS.filter((one) => isNamed(one, tool));
  const limit = kind === undefined ? MAX_HITS : MAX_LOOKED_THROUGH;
  const hits = await chats.library.search({ ...query, limit, tools, roles: role && [role] });
  if (kind === undefined) return hits;
  const { detectSteps } = await import('../../core/events/detect.ts');
  const { resting } = await import('../../core/pace/steps.ts');
  const ofKind: ChatHit[] = [];
  for (const hit of hits) {
    const events = await resting(detectSteps({ role: hit.role, text: hit.text }, {}), clock.breather);
    if (events.some((event) => event.kind === kind)) ofKind.push(hit);
    if (ofKind.length === MAX_HITS) break;
  }
  return ofKind;
}

const isNamed = (tool: (typeof TOOLS)[number], name: string): boolean =>
  [tool, TOOL_NAMES[tool]].some((one) => one.toLowerCase().includes(name.toLowerCase()));

function itemsOf(hits: readonly ChatHit[], chats: ReadonlyMap<string, ListedChat>): Item[] {
  return hits.flatMap(({ key, message, role, at, text }) => {
    const chat = chats.get(key);
    if (!chat) return [];
    const { tool, title, updatedAt } = chat.entry;
    const when = new Date(at ?? updatedAt).toLocaleDateString(locale(), { dateStyle: 'medium' });
    return [
      {
        label: oneLine(text, 150),
        description: `${TOOL_NAMES[tool]} · ${when}`,
        detail: `${title} · ${message + 1} · ${role}`,
        // The search decides what fits; the picker would filter again by letters.
        alwaysShow: true,
        chat,
        message,
      },
    ];
  });
}

function pickWhileTyping(first: string, itemsFor: (typed: string) => Promise<Item[]>): Promise<Item | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = vscode.l10n.t('Search Chats from Other Tools');
  picker.placeholder = vscode.l10n.t(
    'Text to search for (filters: tool: workspace: role: file: kind: since: before: cmd:)',
  );
  picker.value = first;
  let timer: NodeJS.Timeout | undefined;
  let latest = 0;
  const search = async (): Promise<void> => {
    const turn = ++latest;
    if (picker.value.trim() === '') {
      picker.items = [];
      return;
    }
    picker.busy = true;
    const items = await itemsFor(picker.value);
    if (turn !== latest) return;
    picker.busy = false;
    picker.items = items.length > 0 ? items : [{ label: vscode.l10n.t('Nothing found.'), alwaysShow: true }];
  };
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
      picker.hide();
    };
    picker.onDidChangeValue(() => {
      clearTimeout(timer);
      timer = setTimeout(() => void search().catch(failed), TYPED_MS);
    });
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]);
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

/** Lists the chats that read or changed a file, the newest first, and opens the chosen place. */
export async function chatsAboutFile(app: OpenedChatApp, argument?: unknown): Promise<unknown> {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (!uri) return inform(vscode.l10n.t('Open a file to see the chats about it.'));
  const { chats: kept } = await app.chats.list();
  const deeds = await app.chats.library.fileDeeds(uri.fsPath);
  const items = kept
    .flatMap((chat): Item[] => {
      const own = deeds.filter(({ key }) => key === chat.key);
      const shown = own.findLast(({ kind }) => kind === 'edit') ?? own.at(-1);
      if (!shown) return [];
      const edits = own.filter(({ kind }) => kind === 'edit').length;
      return [
        {
          label: `$(${edits > 0 ? 'edit' : 'eye'}) ${chat.entry.title}`,
          description: `${TOOL_NAMES[chat.entry.tool]} · ${new Date(chat.entry.updatedAt).toLocaleString(locale())}`,
          detail: vscode.l10n.t('Edits: {0}, reads: {1}', edits, own.length - edits),
          chat,
          message: shown.message,
        },
      ];
    })
    .sort((a, b) => (b.chat?.entry.updatedAt ?? 0) - (a.chat?.entry.updatedAt ?? 0));
  if (items.length === 0) return inform(vscode.l10n.t('This file wasn’t read or changed in any copied chat.'));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Chats About {0}', vscode.workspace.asRelativePath(uri)),
    matchOnDescription: true,
  });
  return picked?.chat ? openChat(app, picked.chat, picked.message) : false;
}
