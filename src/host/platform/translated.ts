import * as vscode from 'vscode';
import { spoken, type Phrase } from '../../core/text/phrase.ts';

/** What a part of the product says, in the editor's language. */
export function translated(said: Phrase): string {
  return spoken(said, (english) => vscode.l10n.t(english));
}

/** Numbers and dates are written as the editor's language writes them. */
export const locale = (): string => vscode.env.language;

/** US dollars as the editor's language writes them: below one, two digits that count. */
export function dollars(usd: number): string {
  const digits = usd > 0 && usd < 1 ? { maximumSignificantDigits: 2 } : {};
  return usd.toLocaleString(locale(), { style: 'currency', currency: 'USD', ...digits });
}
