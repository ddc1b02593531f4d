import { keyEventId, messageId } from '../../src/core/model/ids.ts';
import type { DetectedEvent, KeyEvent } from '../../src/core/model/key-event.ts';

/** A detected event with this quote; by default, a fact at the beginning of its message. */
export const detectedEvent = (quote: string, more: Partial<DetectedEvent> = {}): DetectedEvent => {
  const { start = 0 } = more;
  return { kind: 'fact', quote, start, end: start + quote.length, score: 1, importance: 2, reason: 'test', ...more };
};

/** A key event with this quote; by default, an active fact of the message `m`, whose ID is the quote. */
export const keyEvent = (quote: string, more: Partial<KeyEvent> = {}): KeyEvent => ({
  ...detectedEvent(quote, more),
  id: keyEventId(quote),
  message: messageId('m'),
  status: 'active',
  pinned: false,
  ...more,
});
