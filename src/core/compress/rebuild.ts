import type { NodeId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';
import { makeJoined, type ParentTools } from './tree.ts';

/** What is known of the summaries below a frontier. */
export interface KnownNodes {
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
  /** Nodes that were made from summaries which have been changed since. */
  readonly stale: ReadonlySet<NodeId>;
}

/**
 * Makes what is stale in a frontier anew, by code and from the bottom up: a node whose children's texts were changed
 * is taken the place of by one that says what they say now. `made` holds each new node after its children.
 */
export async function rebuildStale(
  frontier: readonly SummaryNode[],
  { nodes, stale }: KnownNodes,
  budgetTokens: number,
  tools: ParentTools,
): Promise<{ readonly frontier: SummaryNode[]; readonly made: SummaryNode[] }> {
  const made: SummaryNode[] = [];
  const rebuilt = async (node: SummaryNode): Promise<SummaryNode> => {
    if (!stale.has(node.id)) return node;
    const children: SummaryNode[] = [];
    for (const id of node.children) {
      const child = nodes.get(id);
      if (child) children.push(await rebuilt(child));
    }
    const parent = await makeJoined(children, budgetTokens, tools);
    if (!parent) return node;
    made.push(parent);
    return parent;
  };
  const now: SummaryNode[] = [];
  for (const node of frontier) now.push(await rebuilt(node));
  return { frontier: now, made };
}
