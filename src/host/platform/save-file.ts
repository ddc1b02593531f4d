import path from 'node:path';
import * as vscode from 'vscode';
import { saving } from '../../storage/disk-errors.ts';

/** Writes a file that the user has selected. Rejects with `StoreFault`. */
export const saveFile = (uri: vscode.Uri, text: string): Promise<void> =>
  saving(path.posix.basename(uri.path), async () => vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text)));
