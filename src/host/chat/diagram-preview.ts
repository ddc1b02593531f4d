import * as vscode from 'vscode';

const SCHEME = 'threadkeeper-diagram';
/** Maximum number of diagrams kept for previews that may still be open. */
const MAX_KEPT = 20;

/** Shows diagrams in the editor's Markdown preview. Rendering them in the page would take megabytes of code. */
export class DiagramPreview implements vscode.Disposable, vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #registered: vscode.Disposable | undefined;
  #last = 0;

  dispose(): void {
    this.#registered?.dispose();
  }

  async show(code: string, language: string): Promise<void> {
    this.#registered ??= vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
    let fence = '```';
    while (code.includes(fence)) fence += '`';
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${vscode.l10n.t('Diagram')} ${++this.#last}.md` });
    this.#texts.set(uri.path, `${fence}${language}\n${code}\n${fence}\n`);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_KEPT && oldest !== undefined) this.#texts.delete(oldest);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }
}
