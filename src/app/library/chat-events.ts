import { detectSteps } from '../../core/events/detect.ts';
import { retentionPriorityOf } from '../../core/events/ledger-budget.ts';
import { eventIdAt, Ledger } from '../../core/events/ledger.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { Steps } from '../../core/pace/steps.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';

/** The key events of messages. `idOf` returns the ID of the message at an index, which is the index by default. */
export function* keyEventsOf(
  messages: readonly Pick<TranscriptMessage, 'role' | 'text'>[],
  idOf = (index: number): MessageId => messageId(String(index)),
): Steps<readonly KeyEvent[]> {
  const ledger = new Ledger();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const found = yield* detectSteps(message, before ? { before } : {});
    if (found.length > 0) ledger.add(idOf(index), found, before && idOf(index - 1));
    // Yield here as well, because detection only yields within long messages.
    yield;
  }
  return ledger.entries();
}

/** A superseded key event, and the active one that replaces it. */
export interface SupersededEvent<Event extends KeyEvent> {
  readonly event: Event;
  readonly by: Event;
}

/** The superseded key events of a chat, including repetitions of superseded ones. */
export function supersededEvents<Event extends KeyEvent>(ledger: readonly Event[]): readonly SupersededEvent<Event>[] {
  const byId = new Map(ledger.map((event) => [event.id, event]));
  return ledger.flatMap((event) => {
    let isSuperseded = false;
    let by: Event | undefined = event;
    while (by && by.status !== 'active') {
      isSuperseded ||= by.status === 'superseded';
      by = by.link && byId.get(by.link);
    }
    return by && isSuperseded ? [{ event, by }] : [];
  });
}

/** The active key events of several chats, oldest first, without those that a later chat supersedes or repeats. */
export function* activeEvents<Event extends KeyEvent>(
  chats: readonly (readonly Event[])[],
): Steps<readonly (readonly Event[])[]> {
  const ledger = new Ledger();
  const idOf = (chat: number, { message }: Event): MessageId => messageId(`${chat} ${message}`);
  for (const [chat, events] of chats.entries())
    for (const event of events) {
      const id = idOf(chat, event);
      if (event.status === 'active') ledger.add(id, [event], id);
      yield;
    }
  return chats.map((events, chat) =>
    events.filter((event) => ledger.get(eventIdAt(idOf(chat, event), event))?.status === 'active'),
  );
}

/** Whether a key event is a decision, or stays relevant for the whole session, such as a constraint. */
const isLasting = ({ kind, importance, status }: KeyEvent): boolean =>
  status === 'active' && (kind === 'decision' || importance === 3);

/** The `max` most important of a ledger's decisions and other lasting key events, in the ledger's order. */
export function lastingEvents<Event extends KeyEvent>(ledger: readonly Event[], max: number): readonly Event[] {
  const ranked = ledger
    .map((event, at) => ({ event, priority: retentionPriorityOf(event, ledger.length - 1 - at) }))
    .filter(({ event }) => isLasting(event))
    .sort((a, b) => b.priority - a.priority);
  const kept = new Set(ranked.slice(0, max).map(({ event }) => event));
  return ledger.filter((event) => kept.has(event));
}
