import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { markEventWrong, pinEvents, pinQuote, undoCompressions } from '../../app/summary-changes.ts';
import { eventsOnBranch, sentLevelOf } from '../../core/context/ledger-lines.ts';
import { nodeText } from '../../core/context/render-context.ts';
import { keyEventId, messageId, type MessageId, type NodeId, type SessionId } from '../../core/model/ids.ts';
import { messageText, type Message } from '../../core/model/message.ts';
import { missingFromSource, type SummaryNode } from '../../core/model/summary.ts';
import { Sequencer } from '../../core/pace/sequencer.ts';
import { yieldIfDue, type Yielder } from '../../core/pace/yielder.ts';
import { withSpeaker } from '../../core/text/speakers.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { changeSession } from '../platform/session-changes.ts';
import { openNodeDocument } from '../summaries/document-uris.ts';
import { nothingToCompressText } from '../summaries/summary-texts.ts';
import { eventIndexAfter } from '../summaries/event-index.ts';
import type { ChatApp } from './chat-app.ts';
import type { Drafts } from './drafts.ts';
import type { LastEditor } from './last-editor.ts';
import { requireSession, setTaskOf } from './chat-commands.ts';
import { contextItems } from './context-items.ts';
import { applyEdits } from '../edits/apply-edits.ts';
import { modelOffers } from '../models/model-picker.ts';
import type { ModelsApp } from '../models/models.ts';
import { validSettings } from '../platform/settings.ts';
import { rememberText } from '../memory/memory-commands.ts';
import { workspaceFiles } from '../platform/workspace-files.ts';
import { openLink, openWorkspaceFile } from './open-link.ts';
import { shownChildren } from './message-views.ts';
import type { OutlineView } from '../../protocol/views.ts';

/** Handlers for all requests from the page, in the protocol's order. */
export const pageRequests = (app: ChatApp & ModelsApp) =>
  ({ ...turnRequests(app), ...historyRequests(app), ...sessionRequests(app) }) satisfies RequestHandlers;

function turnRequests(app: ChatApp & ModelsApp) {
  let offers: Awaited<ReturnType<typeof modelOffers>> = [];
  const conversation = (): Conversation => app.currentConnection().conversation;
  const session = () => conversation().journal.id;
  const shownIn = (own: SessionId): Conversation => requireSession(conversation(), own);
  const showDraft = (text = app.drafts.get(session())): void => {
    const draft = { text, attachments: app.attachments.views(session()) };
    app.currentConnection().post({ type: 'draft', session: session(), draft, focus: false });
  };
  return {
    send: async ({ session: id, text, attachments, pasted }) => {
      await app.implicit.refresh();
      const open = conversation();
      // The user switched to another session at the same moment.
      if (open.journal.id !== id) {
        keepAsDraft(app.drafts, id, text);
        throw elsewhere();
      }
      const oldCount = open.state.counters.messagesEver;
      const message = { text, pasted, ...app.attachments.take(session(), attachments) };
      showDraft('');
      try {
        await open.queue.send(message, validSettings().chat.sendWhileResponding);
      } catch (error) {
        const isKept =
          open.state.counters.messagesEver !== oldCount || open.queue.items.some((one) => one.message === message);
        // If the message was neither sent nor queued, its attachments return to the composer like its text.
        if (!isKept) await app.attachments.restore(open, message);
        await app.implicit.refresh();
        if (isKept) throw error;
        showDraft();
        keepAsDraft(app.drafts, id, text);
        if (session() === id) throw error;
        app.describe(error);
        throw elsewhere();
      }
      await app.implicit.refresh();
    },
    sendQueued: ({ id }) => conversation().queue.sendNow(id),
    takeQueued: async ({ id, edit }) => {
      const open = conversation();
      const message = open.queue.remove(id);
      if (message && edit) {
        await app.attachments.restore(open, message);
        showDraft();
      }
      return { text: message?.text ?? null, pasted: message?.pasted ?? [] };
    },
    editAndResend: async ({ message, text }) => {
      const open = conversation();
      const { id } = messageIn(open, message);
      await open.editAndResend(id, text, () => app.drafts.setEdit(open.journal.id, id, null));
    },
    retry: async ({ message }) => {
      const { role, parent, id } = messageIn(conversation(), message);
      const at = role === 'assistant' ? parent : id;
      if (at !== null) await conversation().retry(at);
    },
    continue: ({ message }) => {
      messageIn(conversation(), message);
      return conversation().send(vscode.l10n.t('Continue where you left off.'));
    },
    attach: async ({ session: own, what }) => {
      const open = shownIn(own);
      await app.attachments.add(open, what);
      await app.implicit.refresh();
      showDraft();
    },
    detach: ({ id }) => {
      if (app.attachments.remove(id)) app.implicit.decline(session());
      showDraft();
    },
    completeContext: async ({ query }) => {
      const sessions = (await app.sessions.list()).filter(({ id, archived }) => !archived && id !== session());
      return contextItems(query, app.editor, sessions);
    },
    runCommand: ({ session: shown, command, argument }) => app.runCommand(command, argument, shown),

    loadMessages: ({ epoch, from, count }) => app.currentConnection().loadMessages(epoch, from, count),
    outline: ({ buckets }) => outline(conversation(), buckets),
    recall: ({ query }) => app.search(conversation(), query),
    find: ({ words }) => positionsOf(words, conversation(), app.clock.yielder),
    openLink: ({ href }) =>
      openLink(
        href,
        (position) => app.currentConnection().post({ type: 'reveal', session: session(), position }),
        conversation().state,
      ),
    openFile: async ({ path, line, column }) => {
      if (!(await openWorkspaceFile(path, line, column)))
        throw notFound(vscode.l10n.t('Can’t find the file {0} in this workspace.', path));
    },
    existingFiles: async ({ paths }) => {
      const found = await Promise.all(paths.map(workspaceFiles));
      return paths.filter((_, at) => found[at]!.length > 0);
    },
    offerModels: async () => {
      offers = await modelOffers(app);
      return offers.map(({ label, detail }) => ({ label, detail }));
    },
    takeOffer: ({ session: own, offer }) => offers[offer]?.take(shownIn(own)) ?? false,
    renderMath: async ({ formulas }) => {
      const { mathMl } = await import('./math.ts');
      const rendered: string[] = [];
      for (const formula of formulas) {
        rendered.push(mathMl(formula));
        // Yield to the event loop: each formula takes milliseconds, and a reply may contain hundreds.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return rendered;
    },
    codeAction: ({ action, text, language }) =>
      action === 'preview' ? app.diagrams.show(text, language ?? '') : codeAction(action, text, language, app.editor),
    applyEdits: ({ message, code }) => {
      const reply = message === undefined ? '' : messageText(messageIn(conversation(), messageId(message)));
      return applyEdits(app.reviews, reply, code);
    },
    copyMessage: async ({ message }) => vscode.env.clipboard.writeText(messageText(messageIn(conversation(), message))),
  } satisfies Partial<RequestHandlers>;
}

function historyRequests(app: ChatApp) {
  const conversation = (): Conversation => app.currentConnection().conversation;
  const state = (): Conversation['state'] => conversation().state;
  const shownIn = (own: SessionId): Conversation => requireSession(conversation(), own);
  const pin = async (open: Conversation, id: MessageId, start: number, end: number) => {
    const quote = messageText(messageIn(open, id)).slice(start, end);
    const event = { id: keyEventId(app.clock.id()), message: id, kind: 'fact', start, end, quote } as const;
    await pinQuote(open.journal, event);
  };
  return {
    fork: async ({ message }) => {
      if (conversation().journal.isExternal === true) await app.runCommand('continueHere', message);
      else await conversation().moveHead(messageIn(conversation(), message).id);
    },
    switchBranch: ({ message }) =>
      conversation().moveHead(newestUnder(conversation(), messageIn(conversation(), message).id)),
    deleteMessage: async ({ message }) => {
      const open = conversation();
      const { id, parent } = messageIn(open, message);
      await open.deleteMessage(id, true);
      // At the end of a branch, the buttons that lead to other branches are deleted with the message.
      const other = open.state.head === id ? shownChildren(open.state, parent).at(-1) : undefined;
      if (other !== undefined) await open.moveHead(newestUnder(open, other));
    },
    undoDelete: async ({ message }) => {
      const open = conversation();
      const { id } = messageIn(open, message);
      await open.deleteMessage(id, false);
      if (open.state.positionOf(id) === undefined && !open.isReplying) await open.moveHead(newestUnder(open, id));
    },

    pinQuote: async ({ session: own, message, quote }) => {
      const open = shownIn(own);
      if (message !== undefined && quote === '') {
        const { length } = messageText(messageIn(open, message));
        if (length > MAX_PINNED_LENGTH) throw tooLong();
        return pin(open, message, 0, length);
      }
      if (quote.length > MAX_PINNED_LENGTH) throw tooLong();
      for (const id of message === undefined ? open.state.path.toReversed() : [message]) {
        const found = locate(messageText(messageIn(open, id)), quote);
        if (found) return pin(open, id, found.start, found.end);
        await yieldIfDue(app.clock.yielder);
      }
      throw notFound(
        message === undefined
          ? vscode.l10n.t('Couldn’t find this text in any message of this session.')
          : vscode.l10n.t('Couldn’t find the selection in the message. Select less text.'),
      );
    },
    remember: async ({ message, quote }) => {
      const text = quote || messageText(messageIn(conversation(), message));
      if (text.length > MAX_PINNED_LENGTH) throw tooLong();
      await rememberText(app, text);
    },
    setEventPinned: ({ session: own, event, pinned }) => pinEvents(shownIn(own).journal, [event], pinned),
    removeEvent: ({ session: own, event, removed }) => markEventWrong(shownIn(own).journal, event, removed),

    previewCompression: async () => {
      const { conversation: open, estimateCost } = await app.current();
      const preview = await open.previewCompression();
      const cost = estimateCost(typeof preview === 'string' ? [] : preview.nodes);
      if (typeof preview === 'string') {
        const emptyText = nothingToCompressText(preview, open.settings().policy, open.state);
        return { emptyText, messages: 0, tokens: { before: 0, after: 0 }, kept: [], dropped: [], ...cost };
      }
      const { nodes, tokens } = preview;
      const events = eventIndexAfter(open.state, preview);
      return {
        emptyText: null,
        messages: nodes.reduce((sum, { depth, messages }) => (depth === 0 ? sum + messages : sum), 0),
        tokens: open.meter.providerSizes(tokens),
        kept: events.kept().map((event) => ({ ...event, quote: withSpeaker(event.speaker, event.quote) })),
        dropped: events.dropped().map(({ speaker, quote }) => withSpeaker(speaker, quote)),
        ...cost,
      };
    },
    openNode: ({ node }) => {
      const found = nodeIn(conversation(), node);
      const { id, title, tokens, rung, model, audit } = found;
      const from = state().positionOf(found.first) ?? 0;
      const to = state().positionOf(found.last) ?? from;
      const level = sentLevelOf(state(), id);
      const events = eventsOnBranch(state()).filter(({ message }) => {
        const position = state().positionOf(message)!;
        return from <= position && position <= to;
      });
      return {
        title,
        method: rung,
        model,
        from,
        to,
        text: nodeText(found, level),
        tokens: { source: tokens.source, shown: tokens[level] ?? tokens.detailed },
        audit: { score: audit.score, faults: missingFromSource(audit) },
        events,
      };
    },
    openNodeInEditor: ({ node }) => openNodeDocument(conversation().journal.id, nodeIn(conversation(), node)),
    undoCompression: async ({ session: own, compression, undone }) => {
      const open = shownIn(own);
      await undoCompressions(open.journal, [compression], undone);
      // Also redo summaries that were undone individually.
      const nodes = open.state.compressions.find(({ id }) => id === compression)?.nodes ?? [];
      const stillUndone = undone ? [] : nodes.filter((node) => open.state.summaries.isUndone(node));
      if (stillUndone.length > 0) await open.undoNodes(stillUndone, false);
    },
  } satisfies Partial<RequestHandlers>;
}

function sessionRequests(app: ChatApp) {
  /** Each change begins with the steps that the previous ones have left. */
  const taskChanges = new Sequencer();
  return {
    setTask: ({ session: id, goal, steps }) => setTaskOf(app, id, goal, steps),
    stepTask: ({ session: id, step, status }) =>
      taskChanges.queue(() => changeSession(app, id, { type: 'task_step', step, status })),
    addStep: ({ session: id, goal, step }) =>
      taskChanges.queue(() =>
        changeSession(app, id, ({ task }) => {
          const steps = [...(task?.steps ?? []), { text: step, status: 'pending' } as const];
          return task?.goal === goal ? [{ type: 'task_set', task: { ...task, steps } }] : [];
        }),
      ),

    switchSession: ({ session: id }) => app.sessions.open(id).then(() => undefined),
    renameSession: ({ session: id, title }) => changeSession(app, id, { type: 'session_renamed', title }),
    pinSession: ({ session: id, pinned }) => changeSession(app, id, { type: 'session_pinned', pinned }),
    archiveSession: ({ session: id, archived }) => changeSession(app, id, { type: 'session_archived', archived }),
    deleteSession: ({ session: id }) => changeSession(app, id, { type: 'session_deleted', deleted: true }),
    undoDeleteSession: ({ session: id }) => changeSession(app, id, { type: 'session_deleted', deleted: false }),
  } satisfies Partial<RequestHandlers>;
}

/** Keeps a message that wasn't sent, because the page that would return it to the composer may have been closed. */
function keepAsDraft(drafts: Drafts, id: SessionId, text: string): void {
  const draft = drafts.get(id);
  // The page stores what the user types with a delay, so the draft may be the beginning of the message.
  drafts.set(id, text.startsWith(draft) ? text : `${text}\n${draft}`);
}

/** Runs the action of a code block's button. Throws `RequestFault` if there is no editor for it. */
async function codeAction(
  action: 'copy' | 'insert' | 'newFile',
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
        throw new RequestFault('not_found', vscode.l10n.t('There is no editor to insert into. Open a file first.'));
      if (!(await target.edit((edit) => edit.replace(target.selection, text))))
        throw new RequestFault('storage', vscode.l10n.t('Couldn’t change the file. Check that it isn’t read-only.'));
      return;
    }
    case 'newFile': {
      // In plain text if the language is unknown.
      const isKnown = language !== undefined && (await vscode.languages.getLanguages()).includes(language);
      const document = await vscode.workspace.openTextDocument({ content: text, ...(isKnown && { language }) });
      await vscode.window.showTextDocument(document);
      return;
    }
  }
}

/** A message of the session. Throws `RequestFault` if it doesn't exist. */
function messageIn({ state }: Conversation, id: MessageId): Message {
  const message = state.messages.get(id);
  if (!message) throw notFound(vscode.l10n.t('This message is no longer in the session.'));
  return message;
}

/** A summary of the session. Throws `RequestFault` if it doesn't exist. */
function nodeIn({ state }: Conversation, id: NodeId): SummaryNode {
  const node = state.nodes.get(id);
  if (!node) throw notFound(vscode.l10n.t('This summary is no longer in the session.'));
  return node;
}

/** Maximum length of a text that is sent with every request, in UTF-16 units: about 1,000 tokens. */
const MAX_PINNED_LENGTH = 4_000;

const tooLong = (): RequestFault =>
  new RequestFault('too_large', vscode.l10n.t('This text is too long. Select a shorter part of the message.'));

const notFound = (text: string): RequestFault => new RequestFault('not_found', text);

const elsewhere = (): RequestFault =>
  new RequestFault(
    'elsewhere',
    vscode.l10n.t('Not sent: another session was opened. The message is kept as a draft in its own session.'),
  );

/** The last message of the newest branch through `id`. */
function newestUnder(conversation: Conversation, id: MessageId): MessageId {
  let tip = id;
  for (let next: MessageId | undefined = id; next !== undefined; next = shownChildren(conversation.state, tip).at(-1))
    tip = next;
  return tip;
}

async function positionsOf(words: string, { state }: Conversation, yielder: Yielder): Promise<number[]> {
  const lowerWords = words.toLocaleLowerCase();
  const found: number[] = [];
  for (const [position, id] of state.path.entries()) {
    const message = state.messages.get(id);
    if (message && messageText(message).toLocaleLowerCase().includes(lowerWords)) found.push(position);
    await yieldIfDue(yielder);
  }
  return found;
}

/** Finds a quote from the rendered message in its Markdown source, which has other white space and more marks. */
function locate(text: string, quote: string): { start: number; end: number } | undefined {
  const exact = text.indexOf(quote);
  if (exact >= 0) return { start: exact, end: exact + quote.length };
  // Words that consist only of marks are left out, because the pattern between the words matches them, too. Several in
  // a row would take exponential time.
  const words = quote.split(/\s+/).filter((word) => /[^*_`>~#-]/.test(word));
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s*_`>~#-]{1,20}');
  const found = new RegExp(pattern, 'u').exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}

/** The session in at most `buckets` equal parts, oldest first. Only reads messages that were never counted. */
function outline({ state, counts }: Conversation, buckets: number): OutlineView {
  const total = state.path.length;
  const size = Math.max(1, Math.ceil(total / Math.max(1, buckets)));
  const list = Array.from({ length: Math.ceil(total / size) }, (_, at) => {
    return { from: at * size, to: Math.min((at + 1) * size, total) - 1, tokens: 0, users: 0, keyEvents: 0 };
  });
  const bucketOf = (position: number) => list[Math.floor(position / size)]!;
  for (const [position, id] of state.path.entries()) {
    bucketOf(position).tokens += counts.totalOf(id, state.messages);
    if (state.messages.place(id)?.role === 'user') bucketOf(position).users++;
  }
  for (const { message } of eventsOnBranch(state)) bucketOf(state.positionOf(message)!).keyEvents++;
  return { total, buckets: list };
}
