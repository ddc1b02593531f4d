import { hasFaults } from '../documents/summary-faults.ts';
import type { SessionHit } from '../../../app/session-search.ts';
import type { KeyEventKind } from '../../../core/model/key-event.ts';
import type { NodeId } from '../../../core/model/ids.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { childrenOf, folded } from './children.ts';
import { listOf } from './lists.ts';
import { placesOf } from './places.ts';
import type { Row } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

/** Rows shown of what answers a text, the best first. */
const MOST_FOUND = 20;

/** What the tree is narrowed to. */
export type TreeFilter =
  /** Summaries in which the audit found something, or that are stale. */
  | { readonly by: 'warnings' }
  | { readonly by: 'kind'; readonly of: KeyEventKind }
  /** What answers a text, as the session's search finds it. */
  | { readonly by: 'text'; readonly text: string };

/** What a filter asks beside the rows; each costs what it gives. */
export interface FilterSource extends TreeSource {
  /** Nodes with a warning, as `warnedNodes` lists them. */
  readonly warned: () => readonly NodeId[];
  readonly search: (text: string, limit: number) => readonly SessionHit[];
}

/**
 * The rows that a filter leaves, below the filter's own row or a range of it. Costs what is shown: the lists that it
 * takes from are kept while nothing changes.
 */
export function filteredRows(source: FilterSource, filter: TreeFilter, row: Row): Row[] {
  switch (filter.by) {
    case 'warnings':
      return folded(
        listOf(source.warned(), (node) => ({ kind: 'node', node })),
        row,
      );
    case 'kind':
      return childrenOf(source, { kind: 'eventKind', of: filter.of });
    case 'text':
      return source.search(filter.text, MOST_FOUND).flatMap((hit) => rowOf(source, hit) ?? []);
  }
}

/** Nodes of the tree that a warning stands at, oldest first. Goes through all nodes once. */
export function warnedNodes(state: SessionState): NodeId[] {
  return [...state.nodes.values()]
    .filter((node) => hasFaults(state, node) || state.stale.has(node.id))
    .filter(({ id }) => placesOf(state).placeOf(id))
    .map(({ id }) => id);
}

function rowOf({ state, events }: TreeSource, hit: SessionHit): Row | undefined {
  switch (hit.kind) {
    case 'message':
      return { kind: 'message', message: hit.message };
    case 'summary': {
      const leaf = placesOf(state).leafAt(hit.position);
      return leaf?.row;
    }
    case 'event': {
      const placed = events()
        .between(hit.position, hit.position)
        .find(({ event }) => event.start === hit.start);
      return (
        placed && {
          kind: 'event',
          event: placed.event,
          standing: placed.standing,
          under: { kind: 'eventKind', of: placed.event.kind },
        }
      );
    }
  }
}
