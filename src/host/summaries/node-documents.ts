import * as vscode from 'vscode';
import { dateTimeText, countText, roleName, tokensText } from '../platform/l10n.ts';
import { messageText } from '../../core/model/message.ts';
import type { MessageId } from '../../core/model/ids.ts';
import type { Level, StructuredSummary, SummaryList, SummaryNode } from '../../core/model/summary.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { checkWarnings, levelName, verificationText } from './summary-texts.ts';
import { DocumentWriter, separateHeadings, type LinePart, type RenderedDocument } from './rendered-document.ts';
import { documentUri, EDITABLE_LEVELS } from './document-uris.ts';

/** A summary with its facts, texts, and warnings, and its source or child summaries. */
export function nodeDocument(state: SessionState, node: SummaryNode): RenderedDocument {
  const page = new DocumentWriter().heading(1, node.title);
  const range = state.spanOf(node.id);
  page.line(`_${[range && messageRangeText(range), facts(state, node)].filter(Boolean).join(' · ')}_`).line();
  writeLinks(page, state, node);
  for (const level of EDITABLE_LEVELS) {
    const text = node[level];
    if (text === undefined) continue;
    page.heading(2, `${levelName(level)} · ${tokensText(node.tokens[level] ?? 0)}`).block(separateHeadings(text));
  }
  const faults = checkWarnings(state, node);
  if (faults.length > 0) {
    page.heading(2, vscode.l10n.t('Verification')).list(faults);
  }
  if (node.children.length > 0) {
    const children = node.children.flatMap((id) => state.nodes.get(id) ?? []);
    const links = children.map((child) => [{ text: child.title, to: nodeUri(state, child, 'node') }]);
    page.heading(2, vscode.l10n.t('Generated from')).list(links);
  } else if (range) {
    page.heading(2, vscode.l10n.t('Source'));
    writeMessages(page, state, range.from, range.to, 3);
  }
  return page.document();
}

export function sourceDocument(state: SessionState, node: SummaryNode): RenderedDocument {
  const range = state.spanOf(node.id);
  const page = new DocumentWriter().heading(1, vscode.l10n.t('Source: {0}', node.title));
  writeLinks(page, state, node);
  if (range) writeMessages(page, state, range.from, range.to, 2);
  return page.document();
}

export function structuredDocument(state: SessionState, node: SummaryNode): RenderedDocument {
  const page = new DocumentWriter().heading(1, node.title);
  writeLinks(page, state, node);
  const { structured } = node;
  if (!structured) return page.block(vscode.l10n.t('This summary has no structured sections.')).document();
  for (const [name, entries] of lists(structured)) if (entries.length > 0) page.heading(2, name).list(entries);
  return page.heading(2, vscode.l10n.t('Narrative')).block(structured.narrative).document();
}

/** The part of a summary that a document shows: its text at a level, its lists, or its messages. */
type SummaryPart = Level | 'structured' | 'source';

export function nodeUri(state: SessionState, node: SummaryNode, kind: 'node' | SummaryPart): vscode.Uri {
  const name = kind === 'node' ? node.title : `${node.title} (${summaryPartName(kind)})`;
  return documentUri(sessionOf(state), kind, node.id, name);
}

export function messageUri(state: SessionState, id: MessageId): vscode.Uri {
  return documentUri(sessionOf(state), 'message', id, vscode.l10n.t('Message {0}', (state.positionOf(id) ?? 0) + 1));
}

function sessionOf({ id }: SessionState): NonNullable<SessionState['id']> {
  if (id === undefined) throw new Error('a session without an id has no documents');
  return id;
}

function writeLinks(page: DocumentWriter, state: SessionState, node: SummaryNode): void {
  const parts = ([...EDITABLE_LEVELS, 'structured', 'source'] as const)
    .filter((part) => part === 'source' || node[part] !== undefined)
    .map((part) => ({ text: summaryPartName(part), to: nodeUri(state, node, part) }));
  const parents = state.summaries
    .parentsOf(node.id)
    .map((parent) => ({ text: vscode.l10n.t('Part of: {0}', parent.title), to: nodeUri(state, parent, 'node') }));
  const links = [...parts, ...parents].flatMap((link): LinePart[] => [' · ', link]);
  page.line(...links.slice(1)).line();
}

function writeMessages(page: DocumentWriter, state: SessionState, from: number, to: number, depth: number): void {
  for (let position = from; position <= to; position++) {
    const id = state.path[position]!;
    const message = state.messages.get(id);
    if (!message) continue;
    page.heading(depth, `${position + 1} · ${roleName(message.role)}`);
    page.line({ text: vscode.l10n.t('Open Message'), to: messageUri(state, id) }).line();
    page.block(messageText(message));
  }
}

function facts(state: SessionState, node: SummaryNode): string {
  const { source, detailed } = node.tokens;
  return vscode.l10n.t(
    '{0} → {1} tokens · {2} · {3}',
    countText(source),
    countText(detailed),
    verificationText(node, state.summaries.checkOf(node)),
    dateTimeText(node.at),
  );
}

function lists(structured: StructuredSummary): [string, readonly string[]][] {
  const { decisions, errors } = structured;
  const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' — ');
  const listOf = (heading: string, list: SummaryList): [string, readonly string[]] => [heading, structured[list] ?? []];
  return [
    listOf(vscode.l10n.t('Topics'), 'topics'),
    listOf(vscode.l10n.t('People'), 'people'),
    listOf(vscode.l10n.t('Requests'), 'intents'),
    [vscode.l10n.t('Decisions'), decisions.map(({ what, why, when }) => joined(what, why, when))],
    listOf(vscode.l10n.t('Constraints'), 'constraints'),
    listOf(vscode.l10n.t('Preferences'), 'preferences'),
    listOf(vscode.l10n.t('Quests'), 'quests'),
    listOf(vscode.l10n.t('Inventory'), 'inventory'),
    listOf(vscode.l10n.t('Conditions'), 'conditions'),
    listOf(vscode.l10n.t('Places'), 'places'),
    listOf(vscode.l10n.t('Discoveries'), 'discoveries'),
    listOf(vscode.l10n.t('Facts'), 'facts'),
    listOf(vscode.l10n.t('Guidance'), 'guidance'),
    [vscode.l10n.t('Errors'), errors.map(({ what, solution }) => joined(what, solution))],
    listOf(vscode.l10n.t('Failed attempts'), 'failedAttempts'),
    listOf(vscode.l10n.t('Files'), 'files'),
    listOf(vscode.l10n.t('Open steps'), 'openSteps'),
    listOf(vscode.l10n.t('Outcomes'), 'outcomes'),
  ];
}

const summaryPartName = (part: SummaryPart): string =>
  part === 'structured' ? vscode.l10n.t('Structured') : part === 'source' ? vscode.l10n.t('Source') : levelName(part);

const messageRangeText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  from === to ? vscode.l10n.t('message {0}', from + 1) : vscode.l10n.t('messages {0}–{1}', from + 1, to + 1);
