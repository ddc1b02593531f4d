import type { Clock } from '../app/ports.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { OpenForAppend } from './append-file.ts';
import type { Handing } from './handover.ts';

export interface JournalOptions {
  readonly path: string;
  readonly id: SessionId;
  readonly clock: Clock;
  /** Names the window in lock and lines. */
  readonly window: string;
  readonly openForAppend: OpenForAppend;
  /** Asked on `close`: false while others in this window still have the journal open. */
  readonly isLast: () => boolean;
  readonly handing: Handing;
}
