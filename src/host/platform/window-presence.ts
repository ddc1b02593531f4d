import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';

/** Timeout for a window's answer (ms). Usually it takes milliseconds, but not on a busy machine or slow connection. */
const TIMEOUT_MS = 5_000;

/** Whether this host's window still exists; a host can outlive it for hours. Only a window can run `setContext`. */
export function isWindowPresent(): Promise<boolean> {
  const answered = vscode.commands.executeCommand('setContext', 'threadkeeper.isPresent', true).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, setTimeout(TIMEOUT_MS, false, { ref: false })]);
}
