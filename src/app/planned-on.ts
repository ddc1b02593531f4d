import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId, NodeId } from '../core/model/ids.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** What a compression was planned on: the branch as it was, and the summaries that were there. */
export interface PlannedOn {
  readonly path: readonly MessageId[];
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
}

/** The session as it is now, for a compression that is about to be planned. */
export function plannedOn({ path, nodes }: SessionState): PlannedOn {
  return { path: path.slice(), nodes: new Map(nodes) };
}

/** Whether all messages looked at stand where they stood, and no summary that was joined has been edited meanwhile. */
export function stillStands(planned: PlannedOn, last: number, record: CompressionRecord, state: SessionState): boolean {
  for (let at = 0; at <= last; at++) if (planned.path[at] !== state.path[at]) return false;
  const joined = record.nodes.flatMap((node) => node.children);
  return joined.every((id) => planned.nodes.get(id) === state.nodes.get(id));
}
