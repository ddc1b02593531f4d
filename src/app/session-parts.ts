import type { Calibration } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { PriceOf } from './paid-model.ts';
import type { Clock, CountStore, Log, SessionJournal } from './ports.ts';
import type { ConversationSettings } from './settings.ts';

/** What everything that works on an open session shares. */
export interface SessionParts {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly counter: TokenCounter;
  readonly countStore: CountStore;
  readonly settings: () => ConversationSettings;
  /** Corrects counts by what the chosen model's provider reports; undefined where our own count is the exact one. */
  readonly calibration: () => Calibration | undefined;
  readonly price: PriceOf;
}
