import type { KeyEventId } from '../core/model/ids.ts';
import type { EventCorrection, KeyEvent } from '../core/model/key-event.ts';
import { messageText } from '../core/model/message.ts';
import type { SessionJournal } from './ports.ts';
import { ChangeFault } from './summary-changes.ts';

/**
 * Changes a key event's kind, its range (UTF-16 offsets), or both. Trims white space at both ends of the range. Rejects
 * with `ChangeFault` or `StoreFault` without changing anything.
 */
export async function correctEvent(
  journal: SessionJournal,
  id: KeyEventId,
  change: Partial<Pick<EventCorrection, 'kind' | 'start' | 'end'>>,
): Promise<void> {
  const entry = eventOf(journal, id);
  const text = messageText(journal.state.messages.get(entry.message) ?? { content: [] });
  const { kind = entry.kind, start = entry.start, end = entry.end } = change;
  const chosen = text.slice(start, end);
  const quote = chosen.trim();
  if (start < 0 || end > text.length || quote === '' || !quote.isWellFormed()) throw new ChangeFault('no_words');
  const at = start + chosen.indexOf(quote);
  await journal.append({ type: 'event_corrected', id, correction: { kind, start: at, end: at + quote.length, quote } });
}

/** Like `correctEvent`, but finds the quote in the event's message, at the place nearest to the current quote. */
export function correctQuote(journal: SessionJournal, id: KeyEventId, words: string): Promise<void> {
  const { message, start: from } = eventOf(journal, id);
  const text = messageText(journal.state.messages.get(message) ?? { content: [] });
  const quote = words.trim();
  const before = text.lastIndexOf(quote, from);
  const after = text.indexOf(quote, from);
  const isBefore = after === -1 || (before !== -1 && from - before < after - from);
  const start = isBefore ? before : after;
  return correctEvent(journal, id, { start, end: start + quote.length });
}

/** Marks an event as wrong, or restores it. While it's wrong, events that it superseded or absorbed are active. */
export async function markEventWrong(journal: SessionJournal, id: KeyEventId, wrong: boolean): Promise<void> {
  eventOf(journal, id);
  await journal.append({ type: 'event_removed', id, removed: wrong });
}

function eventOf(journal: SessionJournal, id: KeyEventId): KeyEvent {
  const entry = journal.state.events.get(id);
  if (!entry) throw new ChangeFault('unknown_event');
  return entry;
}
