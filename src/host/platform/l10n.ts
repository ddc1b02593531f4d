import * as vscode from 'vscode';
import type { CompressionProgress } from '../../app/compression-job.ts';
import { dollarsText } from '../../protocol/dollars.ts';
import { ROLE_NAMES } from '../../protocol/display-names.ts';
import { shortNumber } from '../../protocol/short-number.ts';
import { renderPhrase, type Phrase } from '../../core/text/phrase.ts';
import { withoutTerminalCodes } from '../../core/text/terminal-codes.ts';
import { truncate } from '../../core/text/truncate.ts';
import { isWithoutFolder, workspaceName } from '../../storage/workspace-key.ts';

/** Locale for numbers and dates: VS Code's display language. */
export const locale = (): string => vscode.env.language;

export const dollars = (usd: number): string => dollarsText(usd, locale());

/** A short number of tokens in the display language. */
export const shortTokens = (tokens: number): string => shortNumber(tokens, locale());

/** A number in the display language. */
export const countText = (count: number): string => Math.round(count).toLocaleString(locale());

/** A date, such as `Nov 30, 2026`. `at` is in ms since the epoch. By default, the time zone is the user's. */
export const dateText = (at: number, timeZone?: 'UTC'): string =>
  new Date(at).toLocaleDateString(locale(), { dateStyle: 'medium', timeZone });

/** A date and a time, such as `Nov 30, 2026, 9:41 AM`. */
export const dateTimeText = (at: number): string =>
  new Date(at).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });

/** The dates between two times. */
export const dateRangeText = (from: number, to: number): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).formatRange(from, to);

/** Translates `one` if `count` is 1, otherwise `many`, in which `{0}` is the count. Like `formatCounted` of the page. */
export const formatCounted = (count: number, one: string, many: string): string =>
  vscode.l10n.t(count === 1 ? one : many, countText(count));

export const messagesText = (count: number): string => formatCounted(count, '1 message', '{0} messages');
export const tokensText = (count: number): string => formatCounted(count, '1 token', '{0} tokens');
export const sessionsText = (count: number): string => formatCounted(count, '1 session', '{0} sessions');
export const keyEventsText = (count: number): string => formatCounted(count, '1 key event', '{0} key events');

/** The name of a session's workspace, by its key. */
export function workspaceText(key: string): string {
  return isWithoutFolder(key) ? vscode.l10n.t('No folder') : workspaceName(key);
}

/** The beginning of a text in one line; `max` is in UTF-16 units. */
export const shortLine = (text: string, max = 120): string =>
  truncate(withoutTerminalCodes(text.slice(0, 500)).replace(/\s+/g, ' ').trim(), max);

/** Like `shortLine`, for a Quick Pick item, which would show `$(name)` as an icon. */
export const itemText = (text: string, max?: number): string =>
  shortLine(text, max).replace(/\$\([\w-]+(?:~\w+)?\)/g, '\\$&');

/** The beginning of a text, cut between words if possible; `max` is in UTF-16 units. */
export function truncateAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const space = text.lastIndexOf(' ', max);
  return `${truncate(text, space > max / 2 ? space : max)}…`;
}

/** A size in units of 1024 bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  const [size, unit] = kib < 1024 ? [kib, 'KB'] : [kib / 1024, 'MB'];
  return `${size.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
}

export const stageText = (stage: CompressionProgress['stage']): string =>
  ({
    planning: vscode.l10n.t('planning'),
    events: vscode.l10n.t('finding key events'),
    summarizing: vscode.l10n.t('summarizing'),
  })[stage];

export function translated(phrase: Phrase): string {
  return renderPhrase(phrase, (english) => vscode.l10n.t(english));
}

/** The name of a message's role, or of the role `summary` of search results. */
export function roleName(role: string): string {
  const name = ROLE_NAMES[role];
  return name ? translated(name) : role;
}

/** The displayed title of a session or chat, which may have none. */
export const titleText = (title: string): string => (title === '' ? vscode.l10n.t('New session') : title);
