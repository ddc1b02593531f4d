import { existsSync } from 'node:fs';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { editorFolder } from '../support/paths.ts';
import { ExpectedError } from '../support/expected-error.ts';

const hasDisplay = (): boolean =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(process.env.DISPLAY) ||
  Boolean(process.env.WAYLAND_DISPLAY);

/**
 * Returns the path of the desktop VS Code: the one in `VSCODE_EXECUTABLE`, or else a downloaded one if there is a
 * display; undefined if VS Code's server must be used.
 *
 * @throws ExpectedError if the file in `VSCODE_EXECUTABLE` doesn't exist
 */
export async function findDesktop(print: (text: string) => void): Promise<string | undefined> {
  const named = process.env.VSCODE_EXECUTABLE;
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new ExpectedError(`VSCODE_EXECUTABLE names ${named}, which does not exist.`);
    return named;
  }
  if (!hasDisplay()) return undefined;
  try {
    print('Looking for a desktop VS Code in .vscode-test (downloaded once).');
    return await downloadAndUnzipVSCode({ version: 'stable', cachePath: editorFolder });
  } catch (error) {
    print(
      `No desktop VS Code could be downloaded (${error instanceof Error ? error.message : String(error)}); using VS Code's server.`,
    );
    return undefined;
  }
}
