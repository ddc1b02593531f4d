import * as vscode from 'vscode';

/** How long a window may take to answer, on a busy machine or a slow connection (ms). Usually it takes milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Whether the window of this extension host still exists. A host can outlive its window for hours: if a browser tab
 * crashes or a remote connection is lost. Only the window can run a command that it owns.
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
