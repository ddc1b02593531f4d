import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';

/** Timeout for a window's answer (ms). Usually it takes milliseconds, but not on a busy machine or slow connection. */
const TIMEOUT_MS = 5_000;

/**
 * Whether the window of this extension host still exists. A host can outlive its window for hours: if a browser tab
 * crashes or a remote connection is lost. Only the window can run `setContext`, so it's used as a ping.
 */
export function isWindowPresent(): Promise<boolean> {
  const answered = vscode.commands.executeCommand('setContext', 'threadkeeper.isPresent', true).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, setTimeout(TIMEOUT_MS, false, { ref: false })]);
}
