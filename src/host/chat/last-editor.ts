import * as vscode from 'vscode';
import { allTabs } from '../platform/workspace-files.ts';

/** A text editor's state when it was last active. */
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
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get current(): EditorState | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const isVisible = (): boolean => visibleTextEditors.some(({ document }) => document === this.#last?.document);
    // While the chat has the focus, no editor is active.
    if (activeTextEditor || !isVisible()) this.#remember(activeTextEditor ?? visibleTextEditors[0]);
    // The chat may hide the file's tab. Once that is closed, the document still stays open for minutes.
    return this.#last && (isVisible() || hasTab(this.#last.document)) ? this.#last : undefined;
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

/** Whether a tab shows the file, alone or in a comparison. */
function hasTab({ uri }: vscode.TextDocument): boolean {
  const isSame = (other: vscode.Uri): boolean => String(other) === String(uri);
  return allTabs().some(
    ({ input }) =>
      (input instanceof vscode.TabInputText && isSame(input.uri)) ||
      (input instanceof vscode.TabInputTextDiff && (isSame(input.original) || isSame(input.modified))),
  );
}
