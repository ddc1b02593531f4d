import * as vscode from 'vscode';

/** A window that is there answers within milliseconds; one on a busy machine or a slow line within this (ms). */
const ANSWER_MS = 5_000;

/**
 * Whether the window that this extension host belongs to is still there. A host can outlive its window for hours: a
 * browser's tab that died, a remote connection that was cut. Only the window can run a command that it owns.
 */
export async function isWindowThere(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MS);
  });
  const answered = Promise.resolve(vscode.commands.executeCommand('setContext', 'threadkeeper.isPresent', true)).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
