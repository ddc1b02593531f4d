import type { NodeId } from '../../core/model/ids.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { FrontierItem } from '../../core/state/frontier.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { SAID_LISTS, type SaidList } from './rows.ts';

/** Positions of messages on the active branch, from 0, both included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a summary stands in the tree. */
interface NodePlace extends Span {
  readonly node: NodeId;
  /** Undefined for one that stands at the top. */
  readonly parent: NodePlace | undefined;
  /** Among those with the same parent. */
  readonly at: number;
  readonly isLeaf: boolean;
  /** Summaries below it, or messages of a leaf. */
  readonly count: number;
}

export interface Said {
  readonly text: string;
  /** The newest summary that holds it. */
  readonly node: NodeId;
}

const known = new WeakMap<readonly FrontierItem[], Places>();

/** The places of the summaries as they stand now. Goes through all of them once after each change to them. */
export function placesOf(state: SessionState): Places {
  const { frontier } = state;
  let places = known.get(frontier);
  if (!places) known.set(frontier, (places = new Places(state)));
  return places;
}

/** What stands where in the tree of summaries, so that a row is found in a session of any length at the same cost. */
export class Places {
  readonly #nodes = new Map<NodeId, NodePlace>();
  /** The summary without summaries below it, by the position of the message that it stands for. */
  readonly #leaves: NodePlace[] = [];
  readonly #frontier: readonly FrontierItem[];
  readonly #said = new Map<SaidList, readonly Said[]>();

  constructor(state: SessionState) {
    this.#frontier = state.frontier;
    for (const [at, { node }] of this.#frontier.entries()) this.#add(state, node, undefined, at);
  }

  /** Undefined for a summary that stands for nothing now. */
  placeOf(node: NodeId): NodePlace | undefined {
    return this.#nodes.get(node);
  }

  /** The leaf of the tree that stands for the message at a position. */
  leafAt(position: number): NodePlace | undefined {
    return this.#leaves[position];
  }

  /** What the summaries hold, the newest first, each once. Read when it is asked for. */
  said(list: SaidList): readonly Said[] {
    const read = this.#said.get(list);
    if (read) return read;
    const nodes = new Map<string, NodeId>();
    for (const { node } of this.#frontier.toReversed())
      for (const text of entriesOf(node, list)) if (!nodes.has(text)) nodes.set(text, node.id);
    const made = [...nodes].map(([text, node]) => ({ text, node }));
    this.#said.set(list, made);
    return made;
  }

  /** The lists that hold something. */
  saidLists(): SaidList[] {
    return SAID_LISTS.filter((list) => this.said(list).length > 0);
  }

  #add(state: SessionState, { id, children }: SummaryNode, parent: NodePlace | undefined, at: number): void {
    const span = spanOf(state, id);
    if (!span) return;
    const isLeaf = children.length === 0;
    const count = isLeaf ? span.to - span.from + 1 : children.length;
    const place: NodePlace = { node: id, ...span, parent, at, isLeaf, count };
    this.#nodes.set(id, place);
    for (const [n, below] of children.entries()) {
      const child = state.nodes.get(below);
      if (child) this.#add(state, child, place, n);
    }
    if (!isLeaf) return;
    for (let position = span.from; position <= span.to; position++) this.#leaves[position] = place;
  }
}

/** Positions of the messages that a node stands for; undefined when they are not on the active branch. */
export function spanOf(state: SessionState, id: NodeId): Span | undefined {
  const node = state.nodes.get(id);
  const from = node && state.positionOf(node.first);
  const to = node && state.positionOf(node.last);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function entriesOf({ structured }: SummaryNode, list: SaidList): readonly string[] {
  if (!structured) return [];
  return list === 'decisions' ? structured.decisions.map(({ what }) => what) : structured[list];
}
