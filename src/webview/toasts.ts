import type { SessionId } from '../core/model/ids.ts';
import { formatCounted } from './format.ts';
import { text } from './texts.ts';

/** A short message at the bottom of the page with an action. */
export interface Toast {
  readonly text: string;
  readonly severity: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** How long a toast is shown, in ms. */
const STAYS = 8_000;

/**
 * The toasts. Those that only inform disappear; an error with an action stays until it's dismissed or sending succeeds.
 */
export class Toasts {
  passing: Toast | undefined;
  trouble: Toast | undefined;
  readonly #changed: () => void;
  #deletions: { readonly toast: Toast; readonly sessions: readonly SessionId[] } | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The visible toasts, lasting ones first. */
  get shown(): readonly Toast[] {
    return [this.trouble, this.passing].filter((each) => each !== undefined);
  }

  tell(words: string, severity: Toast['severity'] = 'info', action?: Toast['action']): Toast {
    const toast: Toast = { text: words, severity, action };
    if (severity === 'error' && action) {
      this.trouble = toast;
    } else {
      this.passing = toast;
      setTimeout(() => this.untell(toast), STAYS);
    }
    this.#changed();
    return toast;
  }

  untell(toast: Toast | undefined): void {
    if (this.passing === toast) this.passing = undefined;
    if (this.trouble === toast) this.trouble = undefined;
    this.#changed();
  }

  /** Removes errors, because sending succeeds or another session is shown. */
  settle(): void {
    if (this.trouble) this.untell(this.trouble);
  }

  /** Reports a deleted session. While it's shown, further ones are added, and `restore` restores all of them. */
  sessionDeleted(session: SessionId, restore: (session: SessionId) => void): void {
    const before = this.#deletions?.toast === this.passing ? (this.#deletions?.sessions ?? []) : [];
    const sessions = [...before.filter((each) => each !== session), session];
    const words = formatCounted(
      sessions.length,
      'Session deleted. To erase its file, run Clean Up Sessions.',
      '{0} sessions deleted. To erase their files, run Clean Up Sessions.',
    );
    const toast = this.tell(words, 'info', { label: text('Undo'), run: () => sessions.forEach(restore) });
    this.#deletions = { toast, sessions };
  }
}
