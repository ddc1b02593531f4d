import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';

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
