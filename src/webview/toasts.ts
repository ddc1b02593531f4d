import type { SessionId } from '../core/model/ids.ts';
import type { FaultView } from '../protocol/faults.ts';
import { formatCounted } from './format.ts';
import { text } from './texts.ts';

export interface Toast {
  readonly text: string;
  /** What the provider says about the error. */
  readonly details?: string | undefined;
  /** Replaces `text` while the toast is shown. */
  readonly wait?: FaultView['wait'];
  readonly severity: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** How long a temporary toast is shown, in ms. */
const TOAST_DURATION_MS = 8_000;

/** The visible toasts: at most one of each kind. */
export class Toasts {
  temporary: Toast | undefined;
  /** An error with an action, shown until it's dismissed or `clearErrors` is called. */
  persistent: Toast | undefined;
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deletions: { readonly toast: Toast; readonly sessions: readonly SessionId[] } | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get shown(): readonly Toast[] {
    return [this.persistent, this.temporary].filter((each) => each !== undefined);
  }

  show(
    message: string,
    severity: Toast['severity'] = 'info',
    action?: Toast['action'],
    more?: Pick<Toast, 'details' | 'wait'>,
  ): Toast {
    const run = (): void => {
      this.dismiss(toast);
      action?.run();
    };
    const toast: Toast = { ...more, text: message, severity, action: action && { label: action.label, run } };
    if (severity === 'error' && action) {
      this.persistent = toast;
    } else {
      this.temporary = toast;
      this.hold(toast, false);
    }
    this.#onChange();
    return toast;
  }

  /** Shows a temporary toast until it's no longer held, and then as long as a new one. */
  hold(toast: Toast, isHeld: boolean): void {
    if (this.temporary !== toast) return;
    clearTimeout(this.#timer);
    if (!isHeld) this.#timer = setTimeout(() => this.dismiss(toast), TOAST_DURATION_MS);
  }

  dismiss(toast: Toast): void {
    if (this.temporary === toast) this.temporary = undefined;
    if (this.persistent === toast) this.persistent = undefined;
    this.#onChange();
  }

  /** Dismisses the error. Called when a reply starts, a request succeeds, or another or a writable session is shown. */
  clearErrors(): void {
    if (this.persistent) this.dismiss(this.persistent);
  }

  /** Shows a toast whose action restores the session, and all sessions of the toast that it replaces. */
  showSessionDeleted(session: SessionId, restore: (session: SessionId) => void): void {
    const before = this.#deletions?.toast === this.temporary ? (this.#deletions?.sessions ?? []) : [];
    const sessions = [...before.filter((each) => each !== session), session];
    const message = formatCounted(
      sessions.length,
      'Session deleted. To erase its file, run Clean Up Sessions.',
      '{0} sessions deleted. To erase their files, run Clean Up Sessions.',
    );
    const toast = this.show(message, 'info', { label: text('Undo'), run: () => sessions.forEach(restore) });
    this.#deletions = { toast, sessions };
  }
}
