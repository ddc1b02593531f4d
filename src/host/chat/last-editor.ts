import * as vscode from 'vscode';

/** A text editor as it was used last: the chat may stand in front of it, and then the editor itself is gone. */
interface Seen {
  readonly document: vscode.TextDocument;
  readonly selection: vscode.Selection;
}

/** Remembers which file the user was in before they turned to the chat. */
export class LastEditor implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable[];
  #seen: Seen | undefined;

  constructor() {
    this.#note(vscode.window.activeTextEditor);
    this.#subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.#note(editor)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#note(event.textEditor)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#seen?.document === document) this.#seen = undefined;
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get current(): Seen | undefined {
    this.#note(vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0]);
    return this.#seen;
  }

  /** Brings the file to the front again, beside the chat. */
  async show(): Promise<vscode.TextEditor | undefined> {
    const seen = this.current;
    if (!seen) return undefined;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === seen.document);
    return (
      visible ??
      vscode.window.showTextDocument(seen.document, { selection: seen.selection, viewColumn: vscode.ViewColumn.Beside })
    );
  }

  /** Output panels and our own read-only documents are no files that one works on. */
  #note(editor: vscode.TextEditor | undefined): void {
    if (editor && ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(editor.document.uri.scheme))
      this.#seen = { document: editor.document, selection: editor.selection };
  }
}
