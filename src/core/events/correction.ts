import type { EventCorrection, KeyEvent } from '../model/key-event.ts';

/** Applies a user's correction or, if null, removes it. The entry keeps its ID and, in `found`, the detected event. */
export function correctedEvent(entry: KeyEvent, correction: EventCorrection | null): KeyEvent {
  const { found, speaker, ...rest } = entry;
  if (correction === null) return found ? { ...rest, ...found } : entry;
  const { id, message, status, pinned, link, found: _, about, summarized, ...detected } = entry;
  const original = found ?? detected;
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
    // A quote from elsewhere in the message may have another speaker.
    ...(original.speaker !== undefined && start === original.start && { speaker: original.speaker }),
    found: original,
  };
}
