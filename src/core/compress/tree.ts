import { messageId, type NodeId } from '../model/ids.ts';
import type { Span } from '../model/key-event.ts';
import { ROLES, type Role } from '../model/message.ts';
import {
  SUMMARY_LISTS,
  VERBATIM,
  type SummaryMethod,
  type StructuredSummary,
  type SummaryNode,
} from '../model/summary.ts';
import { buildCorpus, firstOf, rarityOfText, type Corpus } from './corpus.ts';
import { extractPassages, NOTED_LABEL, renderPassages, type ExtractOptions } from './extractive.ts';
import { fillLimit, longestPrefixThatFits, tokensWithFraming } from './fitting.ts';
import {
  MAX_SHARE,
  LOCAL_MODEL,
  type LeafTools,
  type LevelLimits,
  type NodeContent,
  type NodeTools,
} from './node-content.ts';
import { NODE_HEADING_TOKENS, tokensAt, tokensOf } from './choose-levels.ts';
import { speakerOfPassage, type Passage } from './passages.ts';
import { fitSummary, relativePositionsIn, splitSentences, type FittedSummary } from './render-summary.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { truncateTitle } from './topics.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { textHash } from '../text/hash.ts';

export interface ParentTools extends NodeTools {
  /** Asks a model to merge summaries; undefined if it can't. `merged` is what the same ones were merged into before. */
  readonly rewrite?: (
    summaries: readonly SummaryNode[],
    limits: LevelLimits,
    merged?: SummaryNode,
  ) => Promise<NodeContent | undefined>;
}

/** Maximum tokens of a parent's texts, unless there is more room. */
const PARENT_CEILINGS: LevelLimits = { brief: 400, detailed: 1600 };

/** In old messages, unusual content is preferred. */
const OLD_OPTIONS = { novelty: 4, discountsUserRoutine: true } satisfies Partial<ExtractOptions>;

const MERGED_BY_CODE = {
  rung: 'extractive',
  model: LOCAL_MODEL,
  promptVersion: 'merge-1',
  audit: VERBATIM,
} as const;

/**
 * Merges adjacent nodes by `rewrite`, or without a model: joins their structured lists, or selects their most important
 * sentences. Undefined if the parent wouldn't be shorter than the source.
 */
export async function makeParent(
  children: readonly SummaryNode[],
  tools: ParentTools,
  ceilings = PARENT_CEILINGS,
  mergedBefore?: SummaryNode,
): Promise<SummaryNode | undefined> {
  const first = children[0];
  const last = children.at(-1);
  if (!first || !last) return undefined;
  const { counter, pace } = tools;
  const source = children.reduce((sum, child) => sum + child.tokens.source, 0);
  // Never longer than the children together, so that merging always saves tokens and terminates.
  const limits: LevelLimits = {
    brief: Math.min(Math.floor(source * MAX_SHARE.brief), ceilings.brief, sumOf(children, 'brief')),
    detailed: Math.min(Math.floor(source * MAX_SHARE.detailed), ceilings.detailed, sumOf(children, 'detailed')),
  };
  const rewritten = await tools.rewrite?.(children, limits, mergedBefore);
  if (rewritten) return parentOf(children, source, rewritten, tools);
  const corpusOf = async (nodes: readonly SummaryNode[]): Promise<Corpus> => {
    const read = await corpusBySpeaker(nodes, pace);
    return (await tools.usage?.withSessionRarity(read, pace)) ?? read;
  };
  const corpus = await corpusOf(children);
  // Entries written by models are merged. From the other children, the most important passages are quoted.
  const withEntries = children.filter(({ structured }) => structured !== undefined && structured.narrative !== '');
  const others = children.filter((child) => !withEntries.includes(child));
  const merged = mergeStructured(withEntries.length > 0 ? withEntries : children);
  const quotable = others.length === 0 || withEntries.length === 0 ? corpus : await corpusOf(others);
  const quotedShare = sumOf(others, 'detailed') / Math.max(1, sumOf(children, 'detailed'));
  const rarity = (text: string): number => rarityOfText(corpus, text);
  const relativePositions = relativePositionsIn(children.flatMap(({ structured }) => structured ?? []));
  const fit = (summary: StructuredSummary, room: number): FittedSummary =>
    fitSummary(summary, room, counter, { rarity, relativePositions });
  const textWithin = async (limit: number): Promise<Partial<FittedSummary> & { readonly text: string }> => {
    if (!merged || withEntries.length === 0) return { text: await extractWithin(corpus, limit, tools) };
    const room = limit - MESSAGE_FRAMING_TOKENS;
    if (others.length === 0) return fit(merged, room);
    const fitted = fit(merged, room * (1 - quotedShare));
    const quoted = await extractWithin(quotable, limit - counter.text(fitted.text), tools);
    const quotes = quoted.split('\n').filter((line) => line !== '');
    return fit({ ...fitted.summary, facts: [...(fitted.summary.facts ?? []), ...quotes] }, room);
  };
  const longText = await textWithin(limits.detailed);
  const titles = children.map((child) => child.title).join('\n');
  const detailed = longText.text || longestPrefixThatFits(titles, Math.max(limits.detailed, 9), counter);
  const { text: short } = await textWithin(Math.min(limits.brief, tokensWithFraming(detailed, counter)));
  const brief = short || longestPrefixThatFits(detailed, Math.max(limits.brief, 9), counter);
  const tokens = { brief: tokensWithFraming(brief, counter), detailed: tokensWithFraming(detailed, counter) };
  if (tokens.detailed >= source) return undefined;
  const structured = longText.summary ?? merged;
  const title = truncateTitle(first.title === last.title ? first.title : `${first.title} … ${last.title}`);
  const content = { title, brief, detailed, tokens, ...(structured && { structured }), ...MERGED_BY_CODE };
  return parentOf(children, source, content, tools);
}

const parentOf = (
  children: readonly SummaryNode[],
  source: number,
  content: NodeContent,
  { nextId, now }: NodeTools,
): SummaryNode => ({
  id: nextId(),
  depth: Math.max(...children.map((child) => child.depth)) + 1,
  first: children[0]!.first,
  last: children.at(-1)!.last,
  messages: children.reduce((sum, child) => sum + child.messages, 0),
  children: children.map((child) => child.id),
  ...content,
  tokens: { source, ...content.tokens },
  sourceHash: textHash(children.map((child) => child.sourceHash)),
  at: now(),
});

const SPEAKER = /^(user|assistant|tool|system|summary): /;

interface Speech {
  readonly role: Role;
  /** Whether it's a summary's own text, not a quotation. */
  readonly noted: boolean;
  readonly lines: string[];
}

/** A corpus of the summaries' texts, with the speakers they quote, so that it still counts who spoke. */
async function corpusBySpeaker(children: readonly SummaryNode[], pace: CancellableYielder): Promise<Corpus> {
  const speeches = children.flatMap(({ detailed, rung }) => speechesIn(detailed, rung));
  const corpus = await buildCorpus(
    speeches.map(({ role, noted, lines }, index) => ({
      id: messageId(String(index)),
      role,
      // A summary's sentences become separate passages, so that each is weighed by itself.
      content: [{ type: 'text', text: (noted ? lines.flatMap(splitSentences) : lines).join('\n') }],
    })),
    pace,
  );
  let speaker = '';
  const passages = corpus.passages.map((passage, at) => {
    if (speeches[passage.message]!.noted) return { ...passage, kind: 'noted' as const };
    // Summaries show a speaker's name only once.
    const isContinued = corpus.passages[at - 1]?.message === passage.message;
    const own = speeches[passage.message]!.role === 'user' ? speakerOfPassage(passage) : '';
    speaker = own === '' && isContinued ? speaker : own;
    return own === speaker ? passage : { ...passage, speaker };
  });
  const plainText = ({ text }: Passage): string => text.replace(EDGES, '');
  const noted = new Set(passages.filter(({ kind }) => kind === 'noted').map(plainText));
  // Drops quotations that a summary's own text repeats.
  const kept = passages.filter((passage) => passage.kind === 'noted' || !noted.has(plainText(passage)));
  return {
    ...corpus,
    passages: kept,
    firstOf: firstOf(kept, corpus.texts.length),
    passageTokens: new Int32Array(kept.length),
  };
}

/** List markers before a sentence, and punctuation after it. */
const EDGES = /^[-*•\s]+|[.。!！;；,\s]+$/g;

function speechesIn(text: string, rung: SummaryMethod): Speech[] {
  const speeches: Speech[] = [];
  for (const line of text.split('\n')) {
    const speaker = SPEAKER.exec(line);
    const open = speeches.at(-1);
    if (speaker) {
      const noted = speaker[1] === NOTED_LABEL;
      const role = ROLES.find((one) => one === speaker[1]) ?? 'assistant';
      speeches.push({ role, noted, lines: [line.slice(speaker[0].length)] });
    } else if (open) open.lines.push(line);
    // Text before the first speaker is a model's or a user's summary, unless it's a plain cut, which has no speakers.
    else speeches.push({ role: 'assistant', noted: rung !== 'cut', lines: [line] });
  }
  return speeches;
}

/** Share of a parent's room for the summaries' own text; the rest is for quotations. */
const NOTED_SHARE = 0.9;

/** Extracts at most `limit` tokens, including framing, first from the summaries' own text. '' if nothing fits. */
function extractWithin(corpus: Corpus, limit: number, { counter, pace }: LeafTools): Promise<string> {
  return fillLimit(limit, counter, async (room) => {
    const shared = { ...OLD_OPTIONS, counter, pace };
    const noted = await extractPassages(corpus, {
      ...shared,
      budgetTokens: Math.floor(room * NOTED_SHARE),
      takes: ({ kind }) => kind === 'noted',
    });
    const kept = new Map<number, Span[]>();
    for (const { message, start, end } of noted.passages)
      kept.set(message, [...(kept.get(message) ?? []), { start, end }]);
    const rest = await extractPassages(corpus, { ...shared, budgetTokens: room - noted.tokens, kept });
    const passages = [...noted.passages, ...rest.passages].sort((a, b) => a.message - b.message || a.start - b.start);
    return renderPassages(corpus, passages);
  });
}

const sumOf = (nodes: readonly SummaryNode[], level: 'brief' | 'detailed'): number =>
  nodes.reduce((sum, { tokens }) => sum + tokens[level], 0);

/** Maximum number of entries per list of a parent; the newest are kept. */
const MAX_MERGED = 200;

function mergeStructured(children: readonly SummaryNode[]): StructuredSummary | undefined {
  const summaries = children.flatMap((child) => child.structured ?? []);
  if (summaries.length === 0) return undefined;
  const whatOf = ({ what }: { readonly what: string }): string => what;
  const join = <Entry>(
    list: (summary: StructuredSummary) => readonly Entry[] | undefined,
    key: (entry: Entry) => string,
  ): Entry[] =>
    [...new Map(summaries.flatMap((one) => list(one) ?? []).map((entry) => [key(entry), entry])).values()].slice(
      -MAX_MERGED,
    );
  const lists = SUMMARY_LISTS.flatMap((name) => {
    const isLatestOnly = name === 'openSteps' || name === 'conditions';
    // Open steps and conditions change, so only the newest part's are valid.
    const entries = isLatestOnly ? (summaries.at(-1)?.[name] ?? []) : join((one) => one[name], String);
    return entries.length > 0 ? [[name, entries] as const] : [];
  });
  return {
    ...(Object.fromEntries(lists) as Partial<StructuredSummary>),
    decisions: join((one) => one.decisions, whatOf),
    errors: join((one) => one.errors, whatOf),
    narrative: summaries.flatMap(({ narrative }) => narrative || []).join(' '),
  };
}

/** Minimum share of the room for the merged summary of old messages; the rest is for newer summaries. */
const OLD_SHARE = 0.75;

/** Maximum number of leaves to merge directly. Above, already merged summaries are merged again. */
const MAX_LEAVES = 80;

/**
 * If a frontier (oldest first) exceeds `budgetTokens`, merges its old nodes into one, so that it takes at most the
 * share `downTo` of the budget. Each time the leaves are merged again, so that facts aren't lost by repeated merging.
 * Returns the new frontier.
 */
export async function mergeOld(
  frontier: readonly SummaryNode[],
  budgetTokens: number,
  downTo: number,
  known: ReadonlyMap<NodeId, SummaryNode>,
  tools: ParentTools,
): Promise<readonly SummaryNode[]> {
  const sizes = frontier.map((node) => tokensAt(node, 'detailed'));
  const total = tokensOf(frontier, 'detailed');
  const isJoined = (frontier[0]?.children.length ?? 0) > 0;
  if (total <= budgetTokens && !isJoined) return frontier;
  let joined = frontier.length;
  let newerTokens = 0;
  const target = total > budgetTokens ? budgetTokens * downTo : budgetTokens;
  const maxNewerTokens = target * (1 - OLD_SHARE);
  while (joined > (isJoined ? 1 : 2) && newerTokens + sizes[joined - 1]! <= maxNewerTokens)
    newerTokens += sizes[--joined]!;
  const old = frontier.slice(0, joined);
  const parts = old.flatMap((node) => partsOf(node, known));
  const messages = (nodes: readonly SummaryNode[]): number => nodes.reduce((sum, one) => sum + one.messages, 0);
  const isComplete = parts.length <= MAX_LEAVES && messages(parts) === messages(old);
  const detailed = Math.max(MIN_PARENT_TOKENS, target - newerTokens - NODE_HEADING_TOKENS);
  // A merged node is rebuilt if it no longer fits, or if there is much more room than it uses.
  const growthFactor = isJoined && old[0]!.model !== LOCAL_MODEL ? GROWTH_FACTOR.byModel : GROWTH_FACTOR.local;
  const isDue = total > budgetTokens || (isComplete && detailed > growthFactor * (total - newerTokens));
  if (!isDue || (old.length < 2 && !isComplete)) return frontier;
  const ceilings = { brief: Math.min(detailed, PARENT_CEILINGS.brief), detailed };
  const parent = await makeParent(isComplete ? parts : old, tools, ceilings, old.length === 1 ? old[0] : undefined);
  const gained = parent ? tokensAt(parent, 'detailed') - (total - newerTokens) : 0;
  if (!parent || (total <= budgetTokens && gained <= 0)) return frontier;
  return [parent, ...frontier.slice(joined)];
}

/** The known children of a merged node, or the node itself if it's a leaf or has the user's text. */
export const partsOf = (node: SummaryNode, known: ReadonlyMap<NodeId, SummaryNode>): readonly SummaryNode[] =>
  node.children.length === 0 || node.rung === 'edited' ? [node] : node.children.flatMap((id) => known.get(id) ?? []);

/** A model's summary may be shorter than its room, because it condenses, and asking again costs money. */
const GROWTH_FACTOR = { local: 1.25, byModel: 2 } as const;

const MIN_PARENT_TOKENS = 60;

/** A parent's share of its children's tokens. Halving at each level lets old content fade gradually. */
const PARENT_SHARE = 0.5;

/** Maximum share of the budget for a parent's brief text, which would grow without bound; twice for `detailed`. */
const MAX_PARENT_SHARE = 0.5;

/** Up to this share of the budget or this many tokens, whichever is less, a parent isn't shortened. */
const UNFADED = { share: 0.75, tokens: 1000 } as const;

function parentCeilings(children: readonly SummaryNode[], budgetTokens: number): LevelLimits {
  const max = budgetTokens * MAX_PARENT_SHARE;
  const ceilingOf = (level: 'brief' | 'detailed', times: number): number =>
    Math.max(
      PARENT_CEILINGS[level],
      Math.floor(Math.min(UNFADED.tokens, budgetTokens * UNFADED.share) * times),
      Math.floor(Math.min(sumOf(children, level) * PARENT_SHARE, max * times)),
    );
  return { brief: ceilingOf('brief', 1), detailed: ceilingOf('detailed', 2) };
}

/** Rebuilds a frontier's stale nodes bottom-up, without a model. `made` has each new node after its children. */
export async function rebuildStale(
  frontier: readonly SummaryNode[],
  { nodes, stale }: { readonly nodes: ReadonlyMap<NodeId, SummaryNode>; readonly stale: ReadonlySet<NodeId> },
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
    const parent = await makeParent(children, tools, parentCeilings(children, budgetTokens));
    if (!parent) return node;
    made.push(parent);
    return parent;
  };
  const current: SummaryNode[] = [];
  for (const node of frontier) current.push(await rebuilt(node));
  return { frontier: current, made };
}
