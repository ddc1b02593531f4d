import * as vscode from 'vscode';

/** The state of a text editor when it was last active, because the chat may have replaced it. */
interface Seen {
  readonly document: vscode.TextDocument;
  readonly selection: vscode.Selection;
}

/** Remembers which file was active before the chat. */
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

  /** Shows the file again next to the chat. */
  async show(): Promise<vscode.TextEditor | undefined> {
    const seen = this.current;
    if (!seen) return undefined;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === seen.document);
    return (
      visible ??
      vscode.window.showTextDocument(seen.document, { selection: seen.selection, viewColumn: vscode.ViewColumn.Beside })
    );
  }

  /** Ignore output panels and our own read-only documents. */
  #note(editor: vscode.TextEditor | undefined): void {
    if (editor && ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(editor.document.uri.scheme))
      this.#seen = { document: editor.document, selection: editor.selection };
  }
}
