import * as vscode from 'vscode';

/** A text editor's state when it was last active. The chat may hide its tab by now. */
type EditorState = Pick<vscode.TextEditor, 'document' | 'selection'>;

/** Remembers which file was active before the chat. */
export class LastEditor implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable[];
  #last: EditorState | undefined;

  constructor() {
    this.#remember(vscode.window.activeTextEditor);
    this.#subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.#remember(editor)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#remember(event.textEditor)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#last?.document === document) this.#last = undefined;
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get current(): EditorState | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    // While the chat has the focus, no editor is active.
    const isVisible = visibleTextEditors.some(({ document }) => document === this.#last?.document);
    if (activeTextEditor || !isVisible) this.#remember(activeTextEditor ?? visibleTextEditors[0]);
    return this.#last;
  }

  /** Shows the file again next to the chat. */
  async show(): Promise<vscode.TextEditor | undefined> {
    const last = this.current;
    if (!last) return undefined;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === last.document);
    return (
      visible ??
      vscode.window.showTextDocument(last.document, { selection: last.selection, viewColumn: vscode.ViewColumn.Beside })
    );
  }

  /** Ignores output panels and Threadkeeper's documents. */
  #remember(editor: vscode.TextEditor | undefined): void {
    if (editor && ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(editor.document.uri.scheme))
      this.#last = { document: editor.document, selection: editor.selection };
  }
}
