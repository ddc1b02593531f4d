import { detectSteps } from '../../core/events/detect.ts';
import { Ledger } from '../../core/events/ledger.ts';
import type { MessageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { Steps } from '../../core/pace/steps.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';

/** The key events of messages. `idOf` returns the ID of the message at an index. */
export function* keyEventsOf(
  messages: readonly Pick<TranscriptMessage, 'role' | 'text'>[],
  idOf: (index: number) => MessageId,
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
