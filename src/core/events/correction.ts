import type { DetectedEvent, EventCorrection, KeyEvent } from '../model/key-event.ts';

/** Applies a user's correction or, if null, removes it. The entry keeps its ID and, in `found`, the detected event. */
export function correctedEvent(entry: KeyEvent, correction: EventCorrection | null): KeyEvent {
  const { found, speaker, ...rest } = entry;
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
    // A quote from elsewhere in the message may have another speaker.
    ...(speaker !== undefined && start === entry.start && { speaker }),
    found: found ?? detectedFields(entry),
  };
}

/** Drops any other fields that the object may have. */
export function detectedFields(event: DetectedEvent): DetectedEvent {
  const { start, end, kind, quote, score, importance, reason, quoted, speaker } = event;
  return {
    start,
    end,
    kind,
    quote,
    score,
    importance,
    reason,
    ...(quoted !== undefined && { quoted }),
    ...(speaker !== undefined && { speaker }),
  };
}
