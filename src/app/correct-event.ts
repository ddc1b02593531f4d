import type { KeyEventId } from '../core/model/ids.ts';
import type { EventCorrection, KeyEvent } from '../core/model/key-event.ts';
import { messageText } from '../core/model/message.ts';
import type { SessionJournal } from './ports.ts';

/** Why an event could not be corrected: it is gone, or the words chosen are none of its message's. */
export class CorrectionFault extends Error {
  readonly reason: 'unknown_event' | 'no_words';

  constructor(reason: CorrectionFault['reason'], message: string) {
    super(message);
    this.name = 'CorrectionFault';
    this.reason = reason;
  }

  static is(error: unknown, reason?: CorrectionFault['reason']): error is CorrectionFault {
    return error instanceof CorrectionFault && (reason === undefined || error.reason === reason);
  }
}

/**
 * Changes a key event's kind, its extent in its message, or both; what is left out stays. `start` and `end` are UTF-16
 * offsets into the message's text; white space around the words is left off. Rejects with `CorrectionFault`, or
 * `StoreFault`; nothing is changed then.
 */
export async function correctEvent(
  journal: SessionJournal,
  id: KeyEventId,
  change: Partial<Pick<EventCorrection, 'kind' | 'start' | 'end'>>,
): Promise<void> {
  const entry = entryOf(journal, id);
  const text = messageText(journal.state.messages.get(entry.message) ?? { content: [] });
  const { kind = entry.kind, start = entry.start, end = entry.end } = change;
  const chosen = text.slice(start, end);
  const quote = chosen.trim();
  if (start < 0 || end > text.length || quote === '' || !quote.isWellFormed())
    throw new CorrectionFault('no_words', 'This text isn’t in the message.');
  const at = start + chosen.indexOf(quote);
  await journal.append({
    type: 'event_corrected',
    id,
    correction: { kind, start: at, end: at + quote.length, quote },
  });
}

/** As `correctEvent`, with other words of the event's message; of several places the one nearest to its own. */
export function correctWords(journal: SessionJournal, id: KeyEventId, words: string): Promise<void> {
  const { message, start: from } = entryOf(journal, id);
  const text = messageText(journal.state.messages.get(message) ?? { content: [] });
  const quote = words.trim();
  const before = text.lastIndexOf(quote, from);
  const after = text.indexOf(quote, from);
  const isBefore = after === -1 || (before !== -1 && from - before < after - from);
  const start = isBefore ? before : after;
  return correctEvent(journal, id, { start, end: start + quote.length });
}

/** Strikes an event out as wrong, or takes that back. What it had superseded or absorbed stands again meanwhile. */
export async function markEventWrong(journal: SessionJournal, id: KeyEventId, wrong: boolean): Promise<void> {
  entryOf(journal, id);
  await journal.append({ type: 'event_removed', id, removed: wrong });
}

function entryOf(journal: SessionJournal, id: KeyEventId): KeyEvent {
  const entry = journal.state.events.get(id);
  if (!entry) throw new CorrectionFault('unknown_event', 'This key event is no longer in the session.');
  return entry;
}
