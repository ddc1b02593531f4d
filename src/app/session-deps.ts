import type { Calibration } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { PriceOf } from './spend-limited-model.ts';
import type { Clock, CountStore, Log, SessionJournal } from './ports.ts';
import type { ConversationSettings } from './conversation-settings.ts';

/** The dependencies that the classes of an open session share. */
export interface SessionDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly counter: TokenCounter;
  readonly countStore: CountStore;
  readonly settings: () => ConversationSettings;
  /** Corrects token counts using the provider's usage reports; undefined if the counts are exact. */
  readonly calibration: () => Calibration | undefined;
  readonly price: PriceOf;
}
