import * as vscode from 'vscode';
import { spoken, type Phrase } from '../../core/text/phrase.ts';

/** What a part of the product says, in the editor's language. */
export function translated(said: Phrase): string {
  return spoken(said, (english) => vscode.l10n.t(english));
}
