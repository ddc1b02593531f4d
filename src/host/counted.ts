import * as vscode from 'vscode';
import { locale } from './translated.ts';

/** How many messages there are, as the editor's language writes it. */
export function messagesText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', count.toLocaleString(locale()));
}
