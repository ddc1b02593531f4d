import path from 'node:path';
import * as vscode from 'vscode';
import { storeFault } from '../../storage/disk-errors.ts';

/** Writes a file that the user has selected. Rejects with `StoreFault`. */
export async function saveFile(uri: vscode.Uri, text: string): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  } catch (error) {
    throw storeFault(error, path.posix.basename(uri.path));
  }
}
