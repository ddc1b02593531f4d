import type { Span } from '../model/key-event.ts';
import type { SummaryNode } from '../model/summary.ts';
import type { Strategy } from '../policy/policy.ts';
import { compressRun, type RunSettings, type RunTools } from './compress-run.ts';
import { framed } from './counting.ts';
import type { Corpus } from './corpus.ts';
import { extract } from './extractive.ts';
import { firstThatFits } from './fitting.ts';
import { extractText, FULL_SHARE, type NamedEvent } from './leaf.ts';
import type { NarrativeFrame, SentNode } from './narrative-frame.ts';
import { groupUp, renderedTokens, type Group, type Placed } from './narrative-groups.ts';
import { chooseNotes } from './notes.ts';
import type { Pace, SourceMessage } from './source.ts';
import { notedIn } from './spoken.ts';
import { makeParent } from './tree.ts';

export interface NarrativeInput {
  readonly messages: readonly SourceMessage[];
  readonly tokens: readonly number[];
  /** Runs of messages that the narrative stands for, in order, inclusive. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  readonly corpus: Corpus;
  /** Quoted in the ledger already, by message. */
  readonly kept: ReadonlyMap<number, readonly Span[]>;
  /** Key events, by message. */
  readonly wanted: ReadonlyMap<number, readonly Span[]>;
  readonly strategy: Strategy;
  readonly settings: RunSettings;
  /** What the rendered summaries may take in all. */
  readonly budgetTokens: number;
  readonly frame: NarrativeFrame;
}

export interface ToldNodes {
  readonly sent: readonly SentNode[];
  /** All nodes, each after its children. */
  readonly nodes: readonly { readonly node: SummaryNode; readonly from: number; readonly to: number }[];
  readonly fault?: unknown;
}

export interface Narrative extends ToldNodes {
  /** Key events that a model named and the source holds, by position in the messages. */
  readonly named: readonly NamedEvent[];
}

/** Of the budget, what a model's own words may take; the rest holds what they do not mention. */
const MODEL_SHARE = 0.7;

/** A node says this much or is joined with its neighbours: tokens, or a share of the budget. */
const LEAST_NODE_TOKENS = 150;
const LEAST_NODE_SHARE = 1 / 40;

/** Tries to come close to the budget. */
const MOST_ROUNDS = 6;
const AIM_BELOW = 0.97;

/**
 * Between these shares of the source there is room for more than the key events, but not for what anyone might have
 * said: what is told is chosen by how unusual it is, and a key event that found no room in the ledger is one among others.
 */
const SCARCE = { from: 0.03, below: 0.06 } as const;
const SCARCE_NOVELTY = 2;

/** Unused room that is worth another try. */
const SLACK_SHARE = 0.02;

/**
 * The story of what is not sent word for word, within a budget: nodes over it, and for each a text made of the model's
 * words, if there is a model, and of what else is worth most in the source's own words, chosen over all of it at once.
 */
export async function narrate(input: NarrativeInput, tools: RunTools, pace: Pace): Promise<Narrative> {
  const nodes: { node: SummaryNode; from: number; to: number }[] = [];
  const placed: Placed[] = [];
  const named: NamedEvent[] = [];
  let fault: unknown;
  for (const [index, range] of input.ranges.entries()) {
    const run = await compressRun(
      {
        messages: input.messages.slice(range.from, range.to + 1),
        tokens: input.tokens.slice(range.from, range.to + 1),
        frontier: [],
        wanted: shifted(input.wanted, range.from),
        indexed: { corpus: input.corpus, offset: range.from },
      },
      // What is said is chosen below, over all of it at once, so no room is shared out before.
      { ...input.settings, frontierTokens: Number.MAX_SAFE_INTEGER },
      input.strategy === 'trim' ? withoutModel(tools) : tools,
    );
    fault ??= run.fault;
    named.push(...run.named.map(({ at, event }) => ({ at: range.from + at, event })));
    const position = new Map(input.messages.slice(range.from, range.to + 1).map((message, at) => [message.id, at]));
    const place = (node: SummaryNode): { node: SummaryNode; from: number; to: number } => ({
      node,
      from: range.from + (position.get(node.first) ?? 0),
      to: range.from + (position.get(node.last) ?? 0),
    });
    for (const node of run.nodes) nodes.push(place(node));
    for (const node of run.frontier) placed.push({ ...place(node), range: index, own: notedIn(node.detailed, node) });
  }
  const noted = placed.map(({ own }) => own);
  const room = Math.floor(input.budgetTokens * MODEL_SHARE);
  const own = await chooseNotes(noted, input.corpus, room, tools.counter, pace);
  const told = placed.map((one, at) => ({ ...one, own: own[at]! }));
  return { ...(await fill(input, told, nodes, tools, pace)), named, ...(fault !== undefined && { fault }) };
}

/** The same tools, but what is summarized is summarized by code. */
export const withoutModel = ({ model: _model, ...tools }: RunTools): RunTools => tools;

const tokensOf = ({ tokens }: NarrativeInput, { from, to }: { from: number; to: number }): number =>
  tokens.slice(from, to + 1).reduce((sum, one) => sum + one, 0);

function shifted(spans: ReadonlyMap<number, readonly Span[]>, by: number): Map<number, readonly Span[]> {
  return new Map(Array.from(spans, ([at, list]) => [at - by, list]));
}

/** Chooses what is said of each node, all together, and joins nodes of which little is said. */
async function fill(
  input: NarrativeInput,
  placed: readonly Placed[],
  made: readonly { node: SummaryNode; from: number; to: number }[],
  tools: RunTools,
  pace: Pace,
): Promise<ToldNodes> {
  const { budgetTokens, corpus, ranges, frame } = input;
  const first = ranges[0];
  const last = ranges.at(-1);
  if (!first || !last || placed.length === 0) return { sent: [], nodes: made };
  const total = ranges.reduce((sum, range) => sum + tokensOf(input, range), 0);
  const kept = new Map(input.kept);
  for (let at = first.to + 1; at < last.from; at++) kept.set(at, [{ start: 0, end: corpus.texts[at]!.length }]);
  const own = placed.map((one) => one.own).filter((text) => text !== '');
  const ownTokens = own.reduce((sum, text) => sum + framed(text, tools.counter), 0);
  const groupTokens = Math.max(LEAST_NODE_TOKENS, Math.floor(budgetTokens * LEAST_NODE_SHARE));
  const likelyNodes = Math.min(placed.length, Math.ceil(budgetTokens / groupTokens));
  let room = budgetTokens - ownTokens - frame.aroundTokens * ranges.length - frame.headingTokens * likelyNodes;
  const isScarce = room >= SCARCE.from * total && room < SCARCE.below * total;
  let best: Group[] | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const passages =
      room > 0 && input.strategy !== 'trim'
        ? (
            await extract(corpus, {
              budgetTokens: room,
              counter: tools.counter,
              pace,
              kept,
              beside: own,
              range: { from: first.from, to: last.to },
              ...(isScarce ? { novelty: SCARCE_NOVELTY } : { wanted: input.wanted }),
            })
          ).passages
        : [];
    const groups = groupUp(corpus, placed, passages, groupTokens);
    const spare = budgetTokens - (await renderedTokens(groups, input, tools, pace));
    if (spare >= 0) best = groups;
    if (spare >= 0 && (spare < budgetTokens * SLACK_SHARE || round > 0 || passages.length === 0)) break;
    if (spare >= 0) {
      room += Math.floor(spare * 0.8);
    } else {
      // Speakers and headings are not in the room that was asked for: what was rendered is the measure, and each
      // round aims lower, since asking for a little less may choose the same passages again.
      const rendered = budgetTokens - spare;
      room = Math.floor(Math.min(room, rendered - ownTokens) * (budgetTokens / rendered) * AIM_BELOW ** (round + 1));
    }
    if (spare < 0 && passages.length === 0) break;
  }
  return await finish(input, best ?? shortest(placed, input, tools), made, tools, pace);
}

/** Where no passage fits: for each range its titles, as far as there is room. */
function shortest(placed: readonly Placed[], input: NarrativeInput, tools: RunTools): Group[] {
  const { aroundTokens, headingTokens } = input.frame;
  const each = Math.floor(input.budgetTokens / input.ranges.length) - aroundTokens - headingTokens;
  return input.ranges.flatMap((_, range) => {
    const members = placed.filter((one) => one.range === range);
    const titles = members.map(({ node }) => node.title).join('\n');
    return members.length === 0 ? [] : [{ members, text: firstThatFits(titles, Math.max(each, 6), tools.counter) }];
  });
}

async function finish(
  input: NarrativeInput,
  groups: readonly Group[],
  made: readonly { node: SummaryNode; from: number; to: number }[],
  tools: RunTools,
  pace: Pace,
): Promise<ToldNodes> {
  const nodes = new Map(made.map((one) => [one.node.id, one]));
  const sent: SentNode[] = [];
  for (const { members, text } of groups) {
    const first = members[0]!;
    const last = members.at(-1)!;
    const joined =
      members.length === 1
        ? first.node
        : await makeParent(
            members.map(({ node }) => node),
            { ...tools, pace, ceilings: input.settings.ceilings },
          );
    const node = joined ?? first.node;
    const limit = Math.floor(node.tokens.source * FULL_SHARE);
    const fits = framed(text, tools.counter) <= limit;
    const capped = fits ? text : await shorter(input, first.from, last.to, limit, text, tools, pace);
    const whole: SummaryNode = {
      ...node,
      full: capped,
      tokens: { ...node.tokens, full: framed(capped, tools.counter) },
    };
    const place = { node: whole, from: first.from, to: last.to };
    nodes.set(whole.id, place);
    sent.push({ ...place, level: 'full' });
  }
  return { sent, nodes: [...nodes.values()] };
}

async function shorter(
  { corpus, tokens, settings, wanted }: NarrativeInput,
  from: number,
  to: number,
  limit: number,
  said: string,
  tools: RunTools,
  pace: Pace,
): Promise<string> {
  const source = { corpus, from, to, tokens: tokens.slice(from, to + 1).length, limits: settings.ceilings, wanted };
  const text = await extractText(source, limit, { counter: tools.counter, pace });
  return text === '' ? firstThatFits(said, limit, tools.counter) : text;
}
