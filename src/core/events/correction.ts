import type { DetectedEvent, EventCorrection, KeyEvent } from '../model/key-event.ts';

/**
 * An entry as the user corrects it: it keeps its id and its place in the ledger, says what the user says, and remembers
 * what was found. Without a correction it is again as found.
 */
export function correctedEvent(entry: KeyEvent, correction: EventCorrection | null): KeyEvent {
  const { found, ...rest } = entry;
  if (correction === null) return found ? { ...rest, ...found } : entry;
  const { kind, start, end, quote } = correction;
  return {
    ...rest,
    kind,
    start,
    end,
    quote,
    score: 1,
    importance: 3,
    reason: 'corrected by the user',
    found: found ?? asFound(entry),
  };
}

/** The fields of a detected event alone, whatever else the object carries. */
export const asFound = ({ start, end, kind, quote, score, importance, reason }: DetectedEvent): DetectedEvent => ({
  start,
  end,
  kind,
  quote,
  score,
  importance,
  reason,
});
