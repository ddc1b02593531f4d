import * as vscode from 'vscode';

/** Tells the user what was done, in one sentence that needs no answer. */
export function inform(text: string): void {
  void vscode.window.showInformationMessage(text);
}
