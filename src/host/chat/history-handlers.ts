import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { markEventWrong } from '../../app/correct-event.ts';
import { keyEventId, type MessageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import { messageText } from '../../core/model/message.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { messageIn, notFound, type HandlerDeps } from './handler-deps.ts';

type History =
  'fork' | 'switchBranch' | 'deleteMessage' | 'undoDelete' | 'pin' | 'pinQuote' | 'setEventPinned' | 'removeEvent';

/** The tree of branches, and the key events quoted from its messages. */
export function historyHandlers(deps: HandlerDeps): Pick<RequestHandlers, History> {
  const conversation = () => deps.link().conversation;
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
    quote: messageText(messageIn(conversation(), id)).slice(start, end),
    score: 1,
    importance: 3,
    reason: 'pinned by the user',
    status: 'active',
    pinned: true,
  });
  return {
    fork: async ({ message }) => {
      await conversation().moveHead(messageIn(conversation(), message).id);
      return null;
    },
    switchBranch: async ({ message }) => {
      await conversation().moveHead(newestUnder(conversation(), messageIn(conversation(), message).id));
      return null;
    },
    deleteMessage: async ({ message }) => {
      await conversation().deleteMessage(messageIn(conversation(), message).id, true);
      return null;
    },
    undoDelete: async ({ message }) => {
      await conversation().deleteMessage(messageIn(conversation(), message).id, false);
      return null;
    },
    pin: ({ message, start, end, kind }) => pin(pinned(message, start, end, kind)),
    pinQuote: ({ message, quote, kind }) => {
      const { state } = conversation();
      for (const id of message === undefined ? state.path.toReversed() : [message]) {
        const found = locate(messageText(messageIn(conversation(), id)), quote);
        if (found) return pin(pinned(id, found.start, found.end, kind));
      }
      throw notFound(
        message === undefined
          ? vscode.l10n.t('No message of this session says that, word for word.')
          : vscode.l10n.t('The selection could not be found in the message; select less of it.'),
      );
    },
    setEventPinned: async ({ event, pinned: value }) => {
      await conversation().journal.append({ type: 'event_pinned', id: event, pinned: value });
      return null;
    },
    removeEvent: async ({ event, removed }) => {
      await markEventWrong(conversation().journal, event, removed);
      return null;
    },
  };
}

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
