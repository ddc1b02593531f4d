import * as vscode from 'vscode';
import { locale } from './translated.ts';

/** A count as the editor's language writes it. */
export const countText = (count: number): string => Math.round(count).toLocaleString(locale());

/** How many messages there are, as the editor's language writes it. */
export function messagesText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', countText(count));
}

export function tokensText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 token') : vscode.l10n.t('{0} tokens', countText(count));
}

export function sessionsText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', countText(count));
}
