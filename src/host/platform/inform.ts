import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';

/** Short messages at the bottom of the chat page, where they don't cover the composer. */
export interface PageMessages {
  readonly isVisible: boolean;
  say(text: string): void;
  /** Resolves to true if the user presses the button. */
  offer(text: string, label: string): Promise<boolean>;
}

let page: PageMessages | undefined;

/** Shows messages on the page while it's visible. */
export function informOn(messages: PageMessages): vscode.Disposable {
  page = messages;
  return new vscode.Disposable(() => {
    if (page === messages) page = undefined;
  });
}

const pageInSight = (): PageMessages | undefined => (page?.isVisible === true ? page : undefined);

/** Shows a message that needs no answer. */
export function inform(text: string): void {
  const shown = pageInSight();
  if (shown) shown.say(text);
  else void vscode.window.showInformationMessage(text);
}

/** Like `inform`, with a button that runs `act`. Nobody needs to wait for it. */
export async function offer(text: string, label: string, act: () => unknown): Promise<void> {
  const shown = pageInSight();
  const isTaken = shown
    ? await shown.offer(text, label)
    : (await vscode.window.showInformationMessage(text, label)) === label;
  if (isTaken) await act();
}

/** Where to show progress that a visible page shows itself. */
export const progressLocation = (): vscode.ProgressLocation =>
  pageInSight() ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification;

/** Shows progress with a button to cancel. Undefined if the user cancels. */
export async function cancellable<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    try {
      return await work(abort.signal);
    } catch (error) {
      if (abort.signal.aborted && endsWork(error)) return undefined;
      throw error;
    }
  });
}

/** Errors of canceled work: in this process, over the network, or in a prompt. */
const endsWork = (error: unknown): boolean =>
  ModelFault.is(error, 'cancelled') ||
  (error instanceof Error && (error.name === 'Cancelled' || error.name === 'AbortError'));
