import * as vscode from 'vscode';
import { RequestFault } from '../../protocol/faults.ts';
import type { LastEditor } from './last-editor.ts';

/** Does with a piece of code what a button of its block says. Throws `RequestFault` when there is no editor for it. */
export async function codeAction(
  action: 'copy' | 'insert' | 'newFile',
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
        throw new RequestFault('not_found', vscode.l10n.t('There is no editor to insert into. Open a file first.'));
      await target.edit((edit) => edit.replace(target.selection, text));
      return;
    }
    case 'newFile':
      await vscode.window.showTextDocument(await openText(text, language));
      return;
  }
}

/** A language the editor does not know opens as plain text. */
async function openText(content: string, language?: string): Promise<vscode.TextDocument> {
  const known = language !== undefined && (await vscode.languages.getLanguages()).includes(language);
  return vscode.workspace.openTextDocument({ content, ...(known && { language }) });
}
