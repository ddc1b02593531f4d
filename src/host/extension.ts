import type * as vscode from 'vscode';
import { Threadkeeper } from './threadkeeper.ts';

let running: Threadkeeper | undefined;

export function activate(context: vscode.ExtensionContext): void {
  running = new Threadkeeper(context);
}

export async function deactivate(): Promise<void> {
  const ending = running;
  running = undefined;
  await ending?.close();
}
