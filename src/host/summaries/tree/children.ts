import type { SessionState } from '../../../core/state/session-state.ts';
import { listBelow, openedNodes, type RowList } from './lists.ts';
import { placesOf } from './places.ts';
import { rangesIn } from './ranges.ts';
import { SECTIONS, type Row, type SectionName } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

/** The rows below a row, or the topmost ones. Costs what is shown, whatever the session's length. */
export function childrenOf(source: TreeSource, row?: Row): Row[] {
  const { state } = source;
  if (!row)
    return SECTIONS.filter((section) => hasSection(state, section)).map((section) => ({ kind: 'section', section }));
  const list = listBelow(source, row.kind === 'range' ? row.of : row);
  const rows = folded(list, row);
  switch (row.kind) {
    case 'section':
      return row.section === 'summaries' && openedNodes(state).length > 0 ? [...rows, { kind: 'opened' }] : rows;
    case 'node': {
      const place = placesOf(state).placeOf(row.node);
      if (!place?.isLeaf) return rows;
      // Messages stand in a range even where they are few, so that they are not mixed with their events.
      const isFolded = rows[0]?.kind === 'range';
      const messages: Row[] = isFolded ? rows : [{ kind: 'range', of: row, above: row, from: 0, end: list.count }];
      const hasEvents = source.events().countBetween(place.from, place.to) > 0;
      return hasEvents ? [{ kind: 'nodeEvents', node: row.node }, ...messages] : messages;
    }
    default:
      return rows;
  }
}

/** What is shown of a list below its row, or below a range of it: entries, or ranges where these are too many. */
export function folded(list: RowList, row: Row): Row[] {
  const of = row.kind === 'range' ? row.of : row;
  const run = row.kind === 'range' ? row : { from: 0, end: list.count };
  const ranges = rangesIn(run);
  if (ranges.length === 0) return list.run(run.from, run.end);
  return ranges.map(({ from, end }) => ({ kind: 'range', of, above: row, from, end }));
}

function hasSection(state: SessionState, section: SectionName): boolean {
  switch (section) {
    case 'context':
    case 'summaries':
    case 'events':
      return true;
    case 'said':
      return placesOf(state).saidLists().length > 0;
    case 'tasks':
      return state.task !== undefined || state.endedTasks.length > 0;
    case 'compressions':
      return state.compressions.length > 0;
  }
}
