import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';
import { Cancelled } from '../../core/pace/cancellable-yielder.ts';

/** Short messages at the bottom of the chat page, where they don't cover the composer. */
export interface PageMessages {
  readonly isVisible: boolean;
  showMessage(text: string): void;
  /** Resolves to true if the user presses the button. */
  showMessageWithAction(text: string, label: string): Promise<boolean>;
}

let page: PageMessages | undefined;

/** Shows info messages on the page instead of as notifications, while it's visible. */
export function routeInfoToPage(messages: PageMessages): vscode.Disposable {
  page = messages;
  return new vscode.Disposable(() => {
    if (page === messages) page = undefined;
  });
}

const visiblePage = (): PageMessages | undefined => (page?.isVisible === true ? page : undefined);

/** Shows a message that needs no answer. */
export function showInfo(text: string): void {
  const target = visiblePage();
  if (target) target.showMessage(text);
  else void vscode.window.showInformationMessage(text);
}

/** Like `showInfo`, with a button that runs `act`. Resolves when that is done or the message is closed. */
export async function showInfoWithAction(text: string, label: string, act: () => unknown): Promise<void> {
  const target = visiblePage();
  const isAccepted = target
    ? await target.showMessageWithAction(text, label)
    : (await vscode.window.showInformationMessage(text, label)) === label;
  if (isAccepted) await act();
}

/** Lets the user select an item, or shows a message if there are none. */
export async function pickOrShowInfo<T extends vscode.QuickPickItem>(
  items: readonly T[],
  emptyText: string,
  options: vscode.QuickPickOptions,
): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, options);
  showInfo(emptyText);
  return undefined;
}

/** Asks the user to confirm an action, named by its button, in a modal dialog. */
export const isConfirmed = async (question: string, detail: string, action: string): Promise<boolean> =>
  (await vscode.window.showWarningMessage(question, { modal: true, detail }, action)) === action;

/** Where to show progress: in the Status Bar if the page is visible, because the page shows the progress, too. */
export const progressLocation = (): vscode.ProgressLocation =>
  visiblePage() ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification;

/**
 * Runs work with a progress notification that has a Cancel button. `report` is called with the share of the work (0
 * to 1) that is done. Resolves to undefined if it's canceled.
 */
export async function withCancellableProgress<T>(
  title: string,
  work: (signal: AbortSignal, report: (share: number, message: string) => void) => Promise<T>,
): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    let reported = 0;
    try {
      return await work(abort.signal, (share, message) => {
        progress.report({ message, increment: (share - reported) * 100 });
        reported = share;
      });
    } catch (error) {
      if (abort.signal.aborted && isCancellation(error)) return undefined;
      throw error;
    }
  });
}

/** Whether an error means that work was canceled: by a provider, between steps of long work, or by an `AbortSignal`. */
const isCancellation = (error: unknown): boolean =>
  ModelFault.is(error, 'cancelled') ||
  error instanceof Cancelled ||
  (error instanceof Error && error.name === 'AbortError');
