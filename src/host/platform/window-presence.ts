import * as vscode from 'vscode';

/** Timeout for a window's answer (ms). Usually it takes milliseconds, but not on a busy machine or slow connection. */
const TIMEOUT_MS = 5_000;

/**
 * Whether the window of this extension host still exists. A host can outlive its window for hours: if a browser tab
 * crashes or a remote connection is lost. Only the window can run `setContext`, so it's used as a ping.
 */
export async function isWindowThere(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), TIMEOUT_MS);
  });
  const answered = Promise.resolve(vscode.commands.executeCommand('setContext', 'threadkeeper.isPresent', true)).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
