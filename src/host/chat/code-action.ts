import * as vscode from 'vscode';
import { RequestFault } from '../../protocol/faults.ts';
import type { LastEditor } from './last-editor.ts';

/** Does with a piece of code what a button of its block says. Throws `RequestFault` when there is no editor for it. */
export async function codeAction(
  action: 'copy' | 'insert' | 'newFile' | 'compare',
  text: string,
  language: string | undefined,
  editor: LastEditor,
): Promise<void> {
  switch (action) {
    case 'copy':
      await vscode.env.clipboard.writeText(text);
      return;
    case 'insert': {
      const target = await editor.show();
      if (!target)
        throw new RequestFault({
          reason: 'not_found',
          text: vscode.l10n.t('There is no editor to insert into. Open a file first.'),
        });
      await target.edit((edit) => edit.replace(target.selection, text));
      return;
    }
    case 'newFile':
      await vscode.window.showTextDocument(await openText(text, language));
      return;
    case 'compare': {
      const seen = editor.current;
      if (!seen)
        throw new RequestFault({
          reason: 'not_found',
          text: vscode.l10n.t('There is no file to compare with. Open a file first.'),
        });
      const name = vscode.workspace.asRelativePath(seen.document.uri);
      await vscode.commands.executeCommand(
        'vscode.diff',
        seen.document.uri,
        suggestions.keep(text, seen.document.uri),
        vscode.l10n.t('{0} ↔ suggestion', name),
      );
      return;
    }
  }
}

/** A language the editor does not know opens as plain text. */
async function openText(content: string, language?: string): Promise<vscode.TextDocument> {
  const known = language !== undefined && (await vscode.languages.getLanguages()).includes(language);
  return vscode.workspace.openTextDocument({ content, ...(known && { language }) });
}

const SUGGESTION_SCHEME = 'threadkeeper-suggestion';
/** Comparisons that can be open at once; older ones go blank. */
const MAX_SUGGESTIONS = 20;

/** Code of a reply as a document that can only be read: nothing has to be saved when its comparison is closed. */
class Suggestions implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #last = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** `beside` gives the name, and by it the language. */
  keep(text: string, { path }: vscode.Uri): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SUGGESTION_SCHEME, path, query: String(++this.#last) });
    this.#texts.set(uri.toString(), text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_SUGGESTIONS && oldest !== undefined) this.#texts.delete(oldest);
    return uri;
  }
}

const suggestions = new Suggestions();

/** Registers what *Compare with the current file* shows. */
export const registerSuggestions = (): vscode.Disposable =>
  vscode.workspace.registerTextDocumentContentProvider(SUGGESTION_SCHEME, suggestions);
