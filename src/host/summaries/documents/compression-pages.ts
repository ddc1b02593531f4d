import * as vscode from 'vscode';
import { countText, dollars } from '../../platform/l10n.ts';
import type { CompressionRecord } from '../../../core/journal/schema.ts';
import type { CompressionEntry } from '../../../core/state/counters.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { levelName, rungName, triggerName } from './summary-facts.ts';
import { nodeUri } from './node-pages.ts';
import { PageWriter, type Page } from './document-page.ts';

/** What a compression would do now: what is kept, what is dropped, what it costs. Nothing of it is done. */
export function dryRunPage(state: SessionState, record: CompressionRecord | undefined): Page {
  const page = new PageWriter().heading(1, vscode.l10n.t('What a compression would do now'));
  if (!record) {
    return page
      .block(
        vscode.l10n.t(
          'Nothing: what was said is still in the window of the newest messages, or is compressed already.',
        ),
      )
      .page();
  }
  writeSizes(page, record);
  writeCalls(page, record);
  page.line();
  page.heading(2, `${vscode.l10n.t('Summaries')} · ${record.nodes.length}`);
  const levels = new Map(record.levels.map(({ node, level }) => [node, level]));
  for (const node of record.nodes) {
    const level = levels.get(node.id) ?? 'detailed';
    const from = (state.positionOf(node.first) ?? 0) + 1;
    const to = (state.positionOf(node.last) ?? 0) + 1;
    page.heading(3, `${from}–${to} · ${node.title}`);
    page
      .line(
        `_${countText(node.tokens.source)} → ${countText(node.tokens[level] ?? node.tokens.detailed)} · ${levelName(level)} · ${rungName(node.rung)}_`,
      )
      .line();
    page.block(node[level] ?? node.detailed);
  }
  const kept = record.events.filter((event) => event.status === 'active' || event.pinned);
  page.heading(2, `${vscode.l10n.t('Key events kept word for word')} · ${kept.length}`);
  for (const event of kept) page.line(`- ${event.kind}: ${event.quote}`);
  page.line();
  const dropped = [
    ...record.events.filter(({ status }) => status === 'dropped').map(({ quote }) => quote),
    ...record.changes.filter(({ status }) => status === 'dropped').map(({ id }) => state.events.get(id)?.quote ?? ''),
  ];
  page.heading(2, `${vscode.l10n.t('Key events without room')} · ${dropped.length}`);
  for (const quote of dropped) page.line(`- ${quote}`);
  return page.page();
}

type Measures = Pick<CompressionRecord, 'tokens' | 'messages' | 'calls' | 'durationMs'>;

function writeSizes(page: PageWriter, { tokens, messages }: Measures): void {
  page
    .line(vscode.l10n.t('- {0} → {1} tokens', countText(tokens.before), countText(tokens.after)))
    .line(vscode.l10n.t('- Messages word for word: {0} → {1}', countText(messages.before), countText(messages.after)));
}

function writeCalls(page: PageWriter, { calls, durationMs }: Measures): void {
  page.line(
    vscode.l10n.t(
      '- Calls: {0}; tokens: {1} + {2}; {3}; {4} ms',
      countText(calls.count),
      countText(calls.inputTokens),
      countText(calls.outputTokens),
      dollars(calls.costUsd),
      countText(durationMs),
    ),
  );
}

const faultsText = (faults: number): string =>
  faults === 1
    ? vscode.l10n.t('1 fault found by the audit')
    : vscode.l10n.t('{0} faults found by the audit', countText(faults));

/** Every compression of the session, the newest first. */
export function compressionsPage(state: SessionState): Page {
  const page = new PageWriter().heading(1, vscode.l10n.t('Compressions'));
  if (state.compressions.length === 0) return page.block(vscode.l10n.t('There has been none yet.')).page();
  for (const [at, entry] of [...state.compressions.entries()].reverse()) writeEntry(page, state, entry, at + 1);
  return page.page();
}

function writeEntry(page: PageWriter, state: SessionState, entry: CompressionEntry, n: number): void {
  const nodes = entry.nodes.flatMap((id) => state.nodes.get(id) ?? []);
  const undone = state.isCompressionUndone(entry.id) ? ` · ${vscode.l10n.t('undone')}` : '';
  page.heading(2, `${n} · ${new Date(entry.at).toLocaleString(vscode.env.language)}${undone}`);
  const models = [...new Set(nodes.map((node) => node.model))].join(', ');
  const rungs = [...new Set(nodes.map((node) => rungName(node.rung)))].join(', ');
  // A command waits for nothing.
  const threshold = entry.threshold > 0 ? ` (${entry.threshold.toLocaleString(vscode.env.language)})` : '';
  page
    .line(vscode.l10n.t('- Because of: {0}', triggerName(entry.trigger) + threshold))
    .line(vscode.l10n.t('- Policy: {0}, {1}', entry.policy, entry.strategy));
  writeSizes(page, entry);
  page.line(vscode.l10n.t('- Written by: {0} ({1})', models, rungs));
  writeCalls(page, entry);
  page.line(vscode.l10n.t('- Key events found: {0}', entry.keyEvents));
  for (const node of nodes) {
    const faults = node.audit.faults.length;
    const found = faults === 0 ? '' : ` · ${faultsText(faults)}`;
    page.line('- ', { text: node.title, to: nodeUri(state, node, 'node') }, found);
  }
  page.line();
}
