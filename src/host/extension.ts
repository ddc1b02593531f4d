import * as vscode from 'vscode';
import { Threadkeeper } from './threadkeeper.ts';

let running: Threadkeeper | undefined;

/** Gives nothing to other extensions; the test suite gets the running product. */
export function activate(context: vscode.ExtensionContext): Threadkeeper | undefined {
  running = new Threadkeeper(context);
  return context.extensionMode === vscode.ExtensionMode.Test ? running : undefined;
}

export async function deactivate(): Promise<void> {
  const ending = running;
  running = undefined;
  await ending?.close();
}
