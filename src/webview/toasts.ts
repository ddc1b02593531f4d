import type { SessionId } from '../core/model/ids.ts';
import { formatCounted } from './format.ts';
import { text } from './texts.ts';

/** A short word at the foot of the page, with one way out or back. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly severity: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Seconds that a toast stays. */
const TOAST_SECONDS = 8;

/**
 * The words at the foot of the page. What only informs goes by itself; an error that offers a way out stays until it
 * is dismissed or sending works again, whatever is said besides it.
 */
export class Toasts {
  passing: Toast | undefined;
  trouble: Toast | undefined;
  readonly #changed: () => void;
  readonly #later: (run: () => void, ms: number) => void;
  #last = 0;
  #deletions: { readonly toast: number; readonly sessions: readonly SessionId[] } | undefined;

  /** `later` runs something after a time in ms. */
  constructor(changed: () => void, later: (run: () => void, ms: number) => void) {
    this.#changed = changed;
    this.#later = later;
  }

  /** What is shown, the lasting first. */
  get shown(): readonly Toast[] {
    return [this.trouble, this.passing].filter((each) => each !== undefined);
  }

  tell(words: string, severity: Toast['severity'] = 'info', action?: Toast['action']): void {
    const id = ++this.#last;
    const toast: Toast = { id, text: words, severity, ...(action && { action }) };
    if (severity === 'error' && action) {
      this.trouble = toast;
    } else {
      this.passing = toast;
      this.#later(() => this.untell(id), TOAST_SECONDS * 1000);
    }
    this.#changed();
  }

  untell(id: number): void {
    if (this.passing?.id === id) this.passing = undefined;
    else if (this.trouble?.id === id) this.trouble = undefined;
    else return;
    this.#changed();
  }

  /** Sending works, or another session is shown: what went wrong before is over. */
  settle(): void {
    if (this.trouble) this.untell(this.trouble.id);
  }

  /** Says that a session is gone. While it still says so of others, one `restore` brings back all of them. */
  sessionDeleted(session: SessionId, restore: (sessions: readonly SessionId[]) => void): void {
    const before = this.#deletions?.toast === this.passing?.id ? (this.#deletions?.sessions ?? []) : [];
    const sessions = [...before.filter((each) => each !== session), session];
    const words = formatCounted(
      sessions.length,
      'Session deleted. To erase its file, run Clean Up Sessions.',
      '{0} sessions deleted. To erase their files, run Clean Up Sessions.',
    );
    this.tell(words, 'info', { label: text('Undo'), run: () => restore(sessions) });
    this.#deletions = { toast: this.#last, sessions };
  }
}
