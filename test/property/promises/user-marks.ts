import assert from 'node:assert/strict';
import { ChangeFault, correctEvent } from '../../../src/app/summary-changes.ts';
import type { SessionJournal } from '../../../src/app/ports.ts';
import { eventIdAt } from '../../../src/core/events/ledger.ts';
import type { KeyEventId, MessageId } from '../../../src/core/model/ids.ts';
import type { EventCorrection, KeyEvent, KeyEventKind } from '../../../src/core/model/key-event.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';

export const wordsOf = ({ kind, start, end, quote }: EventCorrection): EventCorrection => ({ kind, start, end, quote });

/** The user's marks in a session, tracked independently of its state. */
export class UserMarks {
  readonly pinned = new Set<KeyEventId>();
  /** The user's corrections, and the resulting key events. */
  readonly corrected = new Map<KeyEventId, EventCorrection>();
  readonly #takeBack: {
    readonly id: KeyEventId;
    readonly to: EventCorrection | null;
    readonly says: EventCorrection;
  }[] = [];

  /** Reads the marks again after an undo or redo, which may have changed a pin or a correction. */
  refresh({ events }: SessionState): void {
    for (const id of this.corrected.keys()) this.corrected.set(id, wordsOf(events.get(id)!));
    this.pinned.clear();
    for (const { id, pinned } of events.values()) if (pinned) this.pinned.add(id);
  }

  async pin(journal: SessionJournal, id: KeyEventId, pinned: boolean): Promise<void> {
    if (pinned) this.pinned.add(id);
    else this.pinned.delete(id);
    await journal.append({ type: 'event_pinned', id, pinned });
  }

  /** Quotes a span of a message, like a user who selects it. */
  async quote(journal: SessionJournal, message: MessageId, start: number, end: number): Promise<void> {
    const quote = messageText(journal.state.messages.get(message)!).slice(start, end);
    const id = eventIdAt(message, { start, end });
    // Half a surrogate pair can't be selected.
    if (quote === '' || !quote.isWellFormed() || journal.state.events.has(id)) return;
    this.pinned.add(id);
    const said = { id, message, start, end, quote, score: 1, importance: 2 as const, reason: 'user' };
    await journal.append({ type: 'event_added', event: { ...said, kind: 'fact', status: 'active', pinned: true } });
  }

  /** Quotes text that is about to be found as a key event, as another kind. */
  async quoteUnfound(journal: SessionJournal, kind: KeyEventKind | null): Promise<void> {
    const quote = 'Never deploy on a Friday.';
    for (const { message } of journal.state.uncompressed()) {
      const start = messageText(message).indexOf(quote);
      const id = eventIdAt(message.id, { start, end: start + quote.length });
      if (start < 0 || journal.state.events.has(id)) continue;
      await this.quote(journal, message.id, start, start + quote.length);
      if (kind !== null) await this.#correct(journal, journal.state.events.get(id)!, kind, start);
      return;
    }
  }

  async correct(journal: SessionJournal, entry: KeyEvent | undefined, kind: KeyEventKind, pick: number): Promise<void> {
    if (entry) await this.#correct(journal, entry, kind, pick % (entry.end + 1));
  }

  async takeCorrectionBack(journal: SessionJournal): Promise<void> {
    const last = this.#takeBack.pop();
    if (!last) return;
    await journal.append({ type: 'event_corrected', id: last.id, correction: last.to });
    // Without a correction, the detected event counts.
    if (last.to === null) this.corrected.delete(last.id);
    else this.corrected.set(last.id, last.says);
  }

  async #correct(journal: SessionJournal, entry: KeyEvent, kind: KeyEventKind, start: number): Promise<void> {
    const says = wordsOf(entry);
    try {
      await correctEvent(journal, entry.id, { kind, start });
      this.#takeBack.push({ id: entry.id, to: entry.found ? says : null, says });
      const now = wordsOf(journal.state.events.get(entry.id)!);
      assert.equal(now.kind, kind, 'a correction is taken over');
      this.corrected.set(entry.id, now);
    } catch (error) {
      assert.ok(ChangeFault.is(error, 'no_words'), String(error));
    }
  }
}
