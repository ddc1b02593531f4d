import type { SummaryNode } from '../model/summary.ts';
import type { RunTools } from './compress-run.ts';
import type { Corpus, IndexedPassage } from './corpus.ts';
import { renderPassages } from './extractive.ts';
import type { NarrativeFrame, SentNode } from './narrative-frame.ts';
import type { Pace } from './source.ts';

/** A node in its place, with what it says by itself. */
export interface Placed {
  readonly node: SummaryNode;
  readonly from: number;
  readonly to: number;
  readonly range: number;
  /** What the node says by itself: a model's words; '' where all is extracted. */
  readonly own: string;
}

/** Nodes that are sent as one, with what is said of them. */
export interface Group {
  readonly members: readonly Placed[];
  readonly text: string;
}

export function groupUp(
  corpus: Corpus,
  placed: readonly Placed[],
  passages: readonly IndexedPassage[],
  leastTokens: number,
): Group[] {
  const groups: Group[] = [];
  let next = 0;
  let members: Placed[] = [];
  let mine: IndexedPassage[] = [];
  let size = 0;
  const close = (): void => {
    if (members.length === 0) return;
    const parts = members.map((member) => member.own).filter((text) => text !== '');
    if (mine.length > 0) parts.push(renderPassages(corpus, mine));
    const said = parts.join('\n');
    const before = groups.at(-1);
    // What has nothing to say joins what stands before it.
    if (said === '' && before && before.members[0]!.range === members[0]!.range) {
      groups[groups.length - 1] = { members: [...before.members, ...members], text: before.text };
    } else groups.push({ members, text: said === '' ? members[0]!.node.title : said });
    members = [];
    mine = [];
    size = 0;
  };
  for (const member of placed) {
    if (members.length > 0 && members[0]!.range !== member.range) close();
    members.push(member);
    size += member.own.length;
    for (; next < passages.length && passages[next]!.message <= member.to; next++) {
      mine.push(passages[next]!);
      size += passages[next]!.end - passages[next]!.start;
    }
    if (size >= leastTokens * CHARS_PER_TOKEN) close();
  }
  close();
  return groups;
}

/** For sizes that need no exact count. */
const CHARS_PER_TOKEN = 4;

export async function renderedTokens(
  groups: readonly Group[],
  { ranges, frame }: { readonly ranges: readonly unknown[]; readonly frame: NarrativeFrame },
  { counter }: RunTools,
  pace: Pace,
): Promise<number> {
  let tokens = 0;
  for (const range of ranges.keys()) {
    const items = groups.filter((group) => group.members[0]!.range === range).map(plainItem);
    if (items.length > 0) tokens += await counter.textResting(frame.render(items), pace);
  }
  return tokens;
}

/** As it will be rendered, before there is a node for it. */
function plainItem(group: Group): SentNode {
  const first = group.members[0]!;
  const last = group.members.at(-1)!;
  return { node: { ...first.node, full: group.text }, from: first.from, to: last.to, level: 'full' };
}
