import type { NodeId } from '../../../core/model/ids.ts';
import type { SummaryNode } from '../../../core/model/summary.ts';
import type { FrontierItem } from '../../../core/state/frontier.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { rangesAbove } from './ranges.ts';
import { SAID_LISTS, type PlainRow, type Row, type SaidList } from './rows.ts';

/** The row that all summaries stand below. */
export const SUMMARIES = { kind: 'section', section: 'summaries' } as const;

/** Positions of messages on the active branch, from 0, both included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

type NodeRow = Extract<PlainRow, { kind: 'node' }>;

/** Where a summary stands in the tree. */
interface NodePlace extends Span {
  readonly row: NodeRow;
  /** The row that it stands right below. */
  readonly above: Row;
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
    for (const [at, { node }] of this.#frontier.entries())
      this.#add(state, node, rowAbove(SUMMARIES, at, this.#frontier.length));
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

  #add(state: SessionState, { id, children }: SummaryNode, above: Row): void {
    const span = spanOf(state, id);
    if (!span) return;
    const isLeaf = children.length === 0;
    const count = isLeaf ? span.to - span.from + 1 : children.length;
    const row: NodeRow = { kind: 'node', node: id };
    const place: NodePlace = { row, above, ...span, isLeaf, count };
    this.#nodes.set(id, place);
    for (const [n, below] of children.entries()) {
      const child = state.nodes.get(below);
      if (child) this.#add(state, child, rowAbove(row, n, count));
    }
    if (!isLeaf) return;
    for (let position = span.from; position <= span.to; position++) this.#leaves[position] = place;
  }
}

/** The row that an entry of a list stands right below: the narrowest range that holds it, or the row of the list. */
export function rowAbove(of: PlainRow, at: number, count: number): Row {
  let above: Row = of;
  for (const { from, end } of rangesAbove(at, count)) above = { kind: 'range', of, above, from, end };
  return above;
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
  return list === 'decisions' ? structured.decisions.map(({ what }) => what) : (structured[list] ?? []);
}
