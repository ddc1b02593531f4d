import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';

/** The chat's own place for short messages: at the foot of its page, where they do not cover the composer. */
export interface PageMessages {
  readonly isVisible: boolean;
  say(text: string): void;
  /** True when the user presses the button beside the text. */
  offer(text: string, label: string): Promise<boolean>;
}

let page: PageMessages | undefined;

/** Shows messages on the page while it can be seen. */
export function informOn(messages: PageMessages): vscode.Disposable {
  page = messages;
  return new vscode.Disposable(() => {
    if (page === messages) page = undefined;
  });
}

const pageInSight = (): PageMessages | undefined => (page?.isVisible === true ? page : undefined);

/** Tells the user what was done, in one sentence that needs no answer. */
export function inform(text: string): void {
  const shown = pageInSight();
  if (shown) shown.say(text);
  else void vscode.window.showInformationMessage(text);
}

/** The same with a button; `act` runs when it is pressed. Nobody has to wait for the answer. */
export async function offer(text: string, label: string, act: () => unknown): Promise<void> {
  const shown = pageInSight();
  const isTaken = shown
    ? await shown.offer(text, label)
    : (await vscode.window.showInformationMessage(text, label)) === label;
  if (isTaken) await act();
}

/** Where progress is shown that the page shows by itself while it is in sight. */
export const progressLocation = (): vscode.ProgressLocation =>
  pageInSight() ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification;

/** Shows that work goes on, with a button that ends it. Undefined where the user has ended it: that is no fault. */
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

/** What work that was ended rejects with: in this process, over the network, or where it was asked to go on. */
const endsWork = (error: unknown): boolean =>
  ModelFault.is(error, 'cancelled') ||
  (error instanceof Error && (error.name === 'Cancelled' || error.name === 'AbortError'));
