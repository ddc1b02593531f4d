import type { GaugePart } from '../budget/gauge.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Level } from '../model/summary.ts';
import type { FrontierItem } from '../state/frontier.ts';
import type { PrefixFacts } from '../state/session-state.ts';
import { runSynchronously, type Steps } from '../pace/steps.ts';
import type { MessageCounts, TextSource } from '../tokens/message-counts.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { selectLedgerLines, sentLevelOf, countSettledNodes } from './ledger-lines.ts';
import { nodeText, renderLedger, renderSummaries } from './render-context.ts';

export interface PrefixInput {
  readonly state: PrefixFacts;
  readonly systemPrompt: string;
  /** Instructions from files of the workspace; '' if there are none. */
  readonly rules?: string;
  readonly memory: string;
  readonly counts: MessageCounts;
  readonly ledgerBudget: number;
}

/** The part of a request that stays the same between turns. It changes only if `state.prefixRevision` does. */
export interface ContextPrefix {
  readonly system: readonly string[];
  readonly systemParts: readonly SystemPart[];
  readonly tokens: Pick<ContextTokens, SystemPart>;
  readonly leftOut: readonly KeyEvent[];
}

/**
 * Assembles the prefix from the whole ledger and frontier, so the caller caches the result. Each block of summaries is
 * followed by the key events of its messages, so that a compression mostly appends to the previous prefix. Settled
 * summaries form larger blocks, each for a fixed range of messages.
 */
export const assemblePrefix = (input: PrefixInput): ContextPrefix => runSynchronously(prefixSteps(input));

/** Like `assemblePrefix`, in steps between which the caller yields, because counting a large context takes a while. */
export function* prefixSteps(input: PrefixInput): Steps<ContextPrefix> {
  const { state, systemPrompt, rules = '', memory, counts, ledgerBudget } = input;
  const { kept, leftOut } = selectLedgerLines(state, counts, ledgerBudget);
  const parts: (TextSource & { readonly part: SystemPart })[] = [];
  const texts = [['system', systemPrompt] as const, ['rules', rules] as const, ['memory', memory] as const];
  for (const [part, text] of texts) if (text !== '') parts.push({ part, key: part, from: [text], render: () => text });
  const isFirst = (part: SystemPart): boolean => !parts.some((one) => one.part === part);
  for (const items of groupIntoBlocks(state)) {
    const [{ from }, { to }] = [items[0]!, items.at(-1)!];
    const startsSummaries = isFirst('summaries');
    parts.push({
      part: 'summaries',
      key: `summaries ${from}`,
      from: [startsSummaries, ...items.flatMap((item) => [item.from, item.to, nodeText(item.node, item.level)])],
      render: () => renderSummaries(items, startsSummaries),
    });
    const lines = kept.filter(({ position }) => from <= position && position <= to).map(({ line }) => line);
    const startsLedger = isFirst('ledger');
    const render = (): string => renderLedger(lines, startsLedger);
    if (lines.length > 0) parts.push({ part: 'ledger', key: `ledger ${from}`, from: [startsLedger, ...lines], render });
  }
  const system: string[] = [];
  const tokens = { system: 0, rules: 0, memory: 0, ledger: 0, summaries: 0 };
  for (const part of parts) {
    const counted = counts.part(part);
    system.push(counted.text);
    tokens[part.part] += counted.tokens + MESSAGE_FRAMING_TOKENS;
    yield;
  }
  return { system, systemParts: parts.map(({ part }) => part), tokens, leftOut };
}

/** Settled nodes whose last messages are in the same range of this many messages form one block. */
const BLOCK_MESSAGES = 400;

/**
 * Tokens at which a block of newer nodes is closed: few enough that a compression changes only a small last block, and
 * enough that the tags take a small share of it.
 */
export const BLOCK_TOKENS = 2_000;

/** Groups frontier nodes into blocks: settled ones by position, newer ones by size. */
function groupIntoBlocks(state: PrefixFacts): SentItem[][] {
  const settled = countSettledNodes(state);
  const blocks: SentItem[][] = [];
  let lastKey: string | undefined;
  let tokens = 0;
  state.frontier.forEach((item, at) => {
    const sent = { ...item, level: sentLevelOf(state, item.node.id) };
    const key = at < settled ? `settled ${Math.floor(item.to / BLOCK_MESSAGES)}` : 'recent';
    if (key !== lastKey || tokens >= BLOCK_TOKENS) {
      blocks.push([]);
      tokens = 0;
    }
    lastKey = key;
    blocks.at(-1)!.push(sent);
    if (at >= settled) tokens += item.node.tokens[sent.level] ?? item.node.tokens.detailed;
  });
  return blocks;
}

type SentItem = FrontierItem & { readonly level: Level };

export type ContextTokens = Readonly<Record<GaugePart, number>>;

export type SystemPart = 'system' | 'rules' | 'memory' | 'ledger' | 'summaries';
