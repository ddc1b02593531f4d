import * as vscode from 'vscode';
import type { SummaryNode } from '../../../core/model/summary.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { trustOf } from '../documents/summary-facts.ts';
import { spanOf } from './places.ts';
import type { TreeSource } from './tree-source.ts';

export function rangeText(state: SessionState, node: SummaryNode): string {
  const range = spanOf(state, node.id);
  return range ? `${range.from + 1}–${range.to + 1}` : '';
}

/** How many of its key events are in the context, what the audit found, and who wrote it. */
export function trust({ state, events }: TreeSource, node: SummaryNode): string {
  const range = spanOf(state, node.id);
  const { kept, wanted } = range ? events().keptBetween(range.from, range.to) : { kept: 0, wanted: 0 };
  return [
    ...(wanted > 0 ? [vscode.l10n.t('{0}/{1} events', kept, wanted)] : []),
    trustOf(node, state.checkOf(node)),
  ].join(' · ');
}
