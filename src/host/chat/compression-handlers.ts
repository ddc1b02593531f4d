import * as vscode from 'vscode';
import { undoCompressions } from '../../app/summary-changes.ts';
import { levelOf } from '../../core/context/ledger-lines.ts';
import { nodeText } from '../../core/context/render.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { openNodeDocument } from '../summaries/documents/open-document.ts';
import { eventIndexAfter } from '../summaries/tree/event-index.ts';
import { notFound, type HandlerDeps } from './handler-deps.ts';
import { eventMark } from './views.ts';

type Compression = 'previewCompression' | 'openNode' | 'openNodeInEditor' | 'undoCompression';

/** What a compression would do, what it did, and how it is undone. */
export function compressionHandlers(deps: HandlerDeps): Pick<RequestHandlers, Compression> {
  const conversation = () => deps.link().conversation;
  return {
    previewCompression: async () => {
      const { state } = conversation();
      const preview = await conversation().previewCompression();
      const cost = deps.costAhead(preview?.nodes ?? []);
      if (!preview) {
        const { total } = conversation().context();
        return { messages: 0, tokens: { before: total, after: total }, kept: [], dropped: [], ...cost };
      }
      const leaves = preview.nodes.filter((node) => node.depth === 0);
      return {
        messages: leaves.reduce((sum, node) => sum + node.messages, 0),
        tokens: preview.tokens,
        kept: eventIndexAfter(conversation(), preview).kept().map(eventMark),
        dropped: preview.changes
          .filter((change) => change.status === 'dropped')
          .map((change) => state.events.get(change.id)?.quote ?? ''),
        ...cost,
      };
    },
    openNode: ({ node, level }) => {
      const { state } = conversation();
      const found = state.nodes.get(node);
      if (!found) throw notFound(vscode.l10n.t('That summary is no longer in the session.'));
      const from = state.positionOf(found.first) ?? 0;
      const to = state.positionOf(found.last) ?? from;
      const shown = level ?? levelOf(state, { node: found, from, to });
      const events = [...state.events.values()].filter((event) => {
        const position = state.positionOf(event.message);
        return position !== undefined && position >= from && position <= to && !state.isRemoved(event.id);
      });
      return Promise.resolve({
        id: found.id,
        title: found.title,
        level: shown,
        text: nodeText(found, shown),
        tokens: { source: found.tokens.source, shown: found.tokens[shown] ?? found.tokens.detailed },
        rung: found.rung,
        model: found.model,
        at: found.at,
        from,
        to,
        audit: { score: found.audit.score, faults: found.audit.faults.map((fault) => `${fault.kind}: ${fault.text}`) },
        events: events.map(eventMark),
      });
    },
    openNodeInEditor: async ({ node }) => {
      const found = conversation().state.nodes.get(node);
      if (!found) throw notFound(vscode.l10n.t('That summary is no longer in the session.'));
      await openNodeDocument(conversation().journal.id, found);
      return null;
    },
    undoCompression: async ({ compression, undone }) => {
      const { journal, state } = conversation();
      await undoCompressions(journal, [compression], undone);
      // What was undone summary by summary comes back too.
      const nodes = state.compressions.find(({ id }) => id === compression)?.nodes ?? [];
      const open = undone ? [] : nodes.filter((node) => state.isUndone(node));
      if (open.length > 0) await conversation().undoNodes(open, false);
      return null;
    },
  };
}
