import * as vscode from 'vscode';
import { markEventWrong } from '../../app/correct-event.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { SessionEvent } from '../../core/journal/event.ts';
import { keyEventId, type MessageId, type SessionId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import { messageText, type Message } from '../../core/model/message.ts';
import { levelOf } from '../../core/context/assemble.ts';
import { nodeText } from '../../core/context/render.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import type { CommandName, HitView, OutlineView } from '../../protocol/views.ts';
import type { Attachments } from '../attachments.ts';
import type { Drafts } from '../drafts.ts';
import type { LastEditor } from '../last-editor.ts';
import type { Sessions } from '../../app/sessions.ts';
import { openNodeDocument } from '../documents.ts';
import { openLink, openWorkspaceFile } from './links.ts';
import type { PageLink } from './page-link.ts';
import { eventMark } from './views.ts';

export interface HandlerDeps {
  readonly link: () => PageLink;
  readonly sessions: Sessions;
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly editor: LastEditor;
  readonly runCommand: (command: CommandName, argument: string | undefined) => Promise<void>;
  readonly searchFor: (query: string) => Promise<readonly HitView[]>;
  /** Changes a session of the list, open or not. */
  readonly changeSession: (id: SessionId, event: SessionEvent) => Promise<void>;
  readonly newId: () => string;
}

/** What the page may ask, each mapped to one use case. */
export function pageHandlers(deps: HandlerDeps): RequestHandlers {
  const conversation = (): Conversation => deps.link().conversation;
  const messageOf = (id: MessageId): Message => {
    const message = conversation().state.messages.get(id);
    if (!message) throw notFound(vscode.l10n.t('That message is no longer in the session.'));
    return message;
  };
  const pin = async (event: KeyEvent): Promise<{ event: KeyEvent['id'] }> => {
    await conversation().journal.append({ type: 'event_added', event });
    return { event: event.id };
  };
  const pinned = (id: MessageId, start: number, end: number, kind: KeyEvent['kind']): KeyEvent => ({
    id: keyEventId(deps.newId()),
    message: id,
    kind,
    start,
    end,
    quote: messageText(messageOf(id)).slice(start, end),
    score: 1,
    reason: 'pinned by the user',
    status: 'active',
    pinned: true,
  });

  const showDraft = (text: string): void => {
    const draft = { text, attachments: deps.attachments.views() };
    deps.link().post({ type: 'draft', draft, focus: false });
  };

  return {
    send: async ({ text, attachments }) => {
      const taken = deps.attachments.take(attachments);
      showDraft('');
      await conversation().send(text, taken);
      return null;
    },
    editAndResend: async ({ message, text }) => {
      await conversation().editAndResend(message, text);
      return null;
    },
    retry: async ({ message }) => {
      const { role, parent, id } = messageOf(message);
      const at = role === 'assistant' ? parent : id;
      if (at !== null) await conversation().retry(at);
      return null;
    },
    continue: async () => {
      await conversation().send(vscode.l10n.t('Continue where you stopped.'));
      return null;
    },
    attach: async ({ what }) => {
      const view = await deps.attachments.add(what, conversation().counter);
      showDraft(deps.drafts.get(conversation().journal.id));
      return view;
    },
    detach: ({ id }) => {
      deps.attachments.remove(id);
      showDraft(deps.drafts.get(conversation().journal.id));
      return Promise.resolve(null);
    },
    completeFiles: async ({ query }) => {
      const files = await vscode.workspace.findFiles(`**/*${globSafe(query)}*`, '**/node_modules/**', 20);
      return files.map((uri) => {
        const path = vscode.workspace.asRelativePath(uri);
        return { path, name: path.slice(path.lastIndexOf('/') + 1) };
      });
    },
    runCommand: async ({ command, argument }) => {
      await deps.runCommand(command, argument);
      return null;
    },

    loadMessages: ({ epoch, from, count }) => Promise.resolve(deps.link().loadMessages(epoch, from, count)),
    outline: ({ buckets }) => Promise.resolve(outline(conversation(), buckets)),
    recall: async ({ query }) => [...(await deps.searchFor(query))],
    openLink: async ({ href }) => {
      await openLink(
        href,
        (position) => deps.link().post({ type: 'reveal', session: conversation().journal.id, position }),
        conversation().state,
      );
      return null;
    },
    openFile: async ({ path, line, column }) => {
      if (!(await openWorkspaceFile(path, line, column)))
        throw notFound(vscode.l10n.t('There is no file {0} in this workspace.', path));
      return null;
    },
    codeAction: async ({ action, text, language }) => {
      await codeAction(action, text, language, deps.editor);
      return null;
    },
    copyMessage: async ({ message }) => {
      await vscode.env.clipboard.writeText(messageText(messageOf(message)));
      return null;
    },

    fork: async ({ message }) => {
      await conversation().moveHead(messageOf(message).id);
      return null;
    },
    switchBranch: async ({ message }) => {
      await conversation().moveHead(newestUnder(conversation(), messageOf(message).id));
      return null;
    },
    deleteMessage: async ({ message }) => {
      await conversation().deleteMessage(messageOf(message).id, true);
      return null;
    },
    undoDelete: async ({ message }) => {
      await conversation().deleteMessage(messageOf(message).id, false);
      return null;
    },

    pin: ({ message, start, end, kind }) => pin(pinned(message, start, end, kind)),
    pinQuote: ({ message, quote, kind }) => {
      const found = locate(messageText(messageOf(message)), quote);
      if (!found) throw notFound(vscode.l10n.t('The selection could not be found in the message; select less of it.'));
      return pin(pinned(message, found.start, found.end, kind));
    },
    setEventPinned: async ({ event, pinned: value }) => {
      await conversation().journal.append({ type: 'event_pinned', id: event, pinned: value });
      return null;
    },
    removeEvent: async ({ event, removed }) => {
      await markEventWrong(conversation().journal, event, removed);
      return null;
    },

    previewCompression: async () => {
      const { state } = conversation();
      const preview = await conversation().previewCompression();
      if (!preview) {
        const { total } = conversation().context();
        return { messages: 0, tokens: { before: total, after: total }, kept: [], dropped: [], costUsd: 0 };
      }
      const leaves = preview.nodes.filter((node) => node.depth === 0);
      return {
        messages: leaves.reduce((sum, node) => sum + node.messages, 0),
        tokens: preview.tokens,
        kept: preview.events.filter((event) => event.status === 'active' || event.pinned).map(eventMark),
        dropped: preview.changes
          .filter((change) => change.status === 'dropped')
          .map((change) => state.events.get(change.id)?.quote ?? ''),
        costUsd: preview.calls.costUsd,
      };
    },
    openNode: ({ node, level }) => {
      const { state } = conversation();
      const found = state.nodes.get(node);
      if (!found) throw notFound(vscode.l10n.t('That summary is no longer in the session.'));
      const from = state.positionOf(found.first) ?? 0;
      const to = state.positionOf(found.last) ?? from;
      const shown = level ?? levelOf(state, { node: found, from, to });
      const events = [...state.events.values()].filter((event) => {
        const position = state.positionOf(event.message);
        return position !== undefined && position >= from && position <= to && !state.isRemoved(event.id);
      });
      return Promise.resolve({
        id: found.id,
        title: found.title,
        level: shown,
        text: nodeText(found, shown),
        tokens: { source: found.tokens.source, shown: found.tokens[shown] ?? found.tokens.detailed },
        rung: found.rung,
        model: found.model,
        at: found.at,
        from,
        to,
        audit: { score: found.audit.score, faults: found.audit.faults.map((fault) => `${fault.kind}: ${fault.text}`) },
        events: events.map(eventMark),
      });
    },
    openNodeInEditor: async ({ node }) => {
      const found = conversation().state.nodes.get(node);
      if (!found) throw notFound(vscode.l10n.t('That summary is no longer in the session.'));
      await openNodeDocument(conversation().journal.id, found);
      return null;
    },
    undoNodes: async ({ nodes, undone }) => {
      await conversation().undoNodes(nodes, undone);
      return null;
    },

    setTask: async ({ goal, steps }) => {
      await conversation().setTask(goal, steps);
      return null;
    },
    stepTask: async ({ step, status }) => {
      await conversation().journal.append({ type: 'task_step', step, status });
      return null;
    },

    switchSession: async ({ session }) => {
      await deps.sessions.open(session);
      return null;
    },
    renameSession: async ({ session, title }) => {
      await deps.changeSession(session, { type: 'session_renamed', title });
      return null;
    },
    pinSession: async ({ session, pinned }) => {
      await deps.changeSession(session, { type: 'session_pinned', pinned });
      return null;
    },
    archiveSession: async ({ session, archived }) => {
      await deps.changeSession(session, { type: 'session_archived', archived });
      return null;
    },
    deleteSession: async ({ session }) => {
      await deps.changeSession(session, { type: 'session_deleted', deleted: true });
      return null;
    },
    undoDeleteSession: async ({ session }) => {
      await deps.changeSession(session, { type: 'session_deleted', deleted: false });
      return null;
    },
  };
}

const notFound = (text: string): RequestFault => new RequestFault({ reason: 'not_found', text });

const globSafe = (query: string): string => query.replace(/[*?{}[\]!]/g, '');

/** The tip of the branch that goes through `id`, taking the newest child at each fork. */
function newestUnder(conversation: Conversation, id: MessageId): MessageId {
  let tip = id;
  for (let next: MessageId | undefined = id; next !== undefined; next = conversation.state.childrenOf(tip).at(-1))
    tip = next;
  return tip;
}

/** Finds a quote whose white space and markdown marks may have been lost by rendering. */
function locate(text: string, quote: string): { start: number; end: number } | undefined {
  const exact = text.indexOf(quote);
  if (exact >= 0) return { start: exact, end: exact + quote.length };
  const words = quote
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 400);
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s*_`>~#-]{1,20}');
  const found = new RegExp(pattern, 'u').exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}

function outline(conversation: Conversation, buckets: number): OutlineView {
  const { state } = conversation;
  const total = state.path.length;
  const size = Math.max(1, Math.ceil(total / Math.max(1, buckets)));
  const marks = new Map<number, number>();
  for (const event of state.events.values()) {
    const position = state.positionOf(event.message);
    if (position === undefined || state.isRemoved(event.id)) continue;
    const bucket = Math.floor(position / size);
    marks.set(bucket, (marks.get(bucket) ?? 0) + 1);
  }
  const list: OutlineView['buckets'][number][] = [];
  for (let from = 0; from < total; from += size) {
    const to = Math.min(from + size, total) - 1;
    let tokens = 0;
    let users = 0;
    for (let position = from; position <= to; position++) {
      const message = state.messages.get(state.path[position]!);
      if (!message) continue;
      tokens += conversation.counts.total(message);
      if (message.role === 'user') users++;
    }
    list.push({ from, to, tokens, users, keyEvents: marks.get(from / size) ?? 0 });
  }
  return { total, buckets: list };
}

async function codeAction(
  action: 'copy' | 'insert' | 'newFile' | 'compare',
  text: string,
  language: string | undefined,
  editor: LastEditor,
): Promise<void> {
  switch (action) {
    case 'copy':
      await vscode.env.clipboard.writeText(text);
      return;
    case 'insert': {
      const target = await editor.show();
      if (!target)
        throw new RequestFault({
          reason: 'not_found',
          text: vscode.l10n.t('Open a file first: there is no editor to insert into.'),
        });
      await target.edit((edit) => edit.replace(target.selection, text));
      return;
    }
    case 'newFile':
      await vscode.window.showTextDocument(await openText(text, language));
      return;
    case 'compare': {
      const seen = editor.current;
      if (!seen)
        throw new RequestFault({
          reason: 'not_found',
          text: vscode.l10n.t('Open a file first: there is nothing to compare with.'),
        });
      const right = await openText(text, seen.document.languageId);
      await vscode.commands.executeCommand(
        'vscode.diff',
        seen.document.uri,
        right.uri,
        vscode.l10n.t('File and suggestion'),
      );
      return;
    }
  }
}

/** A language the editor does not know opens as plain text. */
async function openText(content: string, language?: string): Promise<vscode.TextDocument> {
  const known = language !== undefined && (await vscode.languages.getLanguages()).includes(language);
  return vscode.workspace.openTextDocument({ content, ...(known && { language }) });
}
