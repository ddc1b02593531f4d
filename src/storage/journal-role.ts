import { StoreFault } from '../app/ports.ts';
import { phrase } from '../core/text/phrase.ts';
import type { JournalWriter } from './journal-writer.ts';

/** What a window may do with a journal that it has open. */
export type Role =
  | { readonly kind: 'writer'; readonly writer: JournalWriter }
  | { readonly kind: 'reader'; readonly fault: StoreFault }
  | { readonly kind: 'closed' };

export const CLOSED = phrase('This session is closed.');
const ELSEWHERE = phrase('This session is being edited in another window. Take over to edit it here.');
const NEWER = phrase(
  'This session was created by a newer version of Threadkeeper and is read-only. Update the extension to continue it.',
);
const UNSAVED_ELSEWHERE = phrase(
  'The other window has messages that couldn’t be saved yet. Free up disk space, then take over.',
);

export const closed = (): StoreFault => new StoreFault('not_writer', CLOSED);
export const unsavedElsewhere = (): StoreFault => new StoreFault('not_writer', UNSAVED_ELSEWHERE);

export const elsewhere = (): StoreFault => new StoreFault('not_writer', ELSEWHERE);

/** A window that follows, since another one writes. */
export const follower = (): Role => ({ kind: 'reader', fault: elsewhere() });

/** A window that cannot write what it does not understand. */
export const tooOld = (): Role => ({ kind: 'reader', fault: new StoreFault('newer', NEWER) });
