import * as vscode from 'vscode';

/** Shows that work goes on, with a button that ends it. Undefined where the user has ended it: that is no fault. */
export async function cancellable<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    try {
      return await work(abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      throw error;
    }
  });
}
