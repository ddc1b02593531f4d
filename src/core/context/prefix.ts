import type { KeyEvent } from '../model/key-event.ts';
import type { Level } from '../model/summary.ts';
import type { FrontierItem } from '../state/frontier.ts';
import type { FrontFacts } from '../state/session-facts.ts';
import type { MessageCounts } from '../tokens/message-counts.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import type { ContextTokens, SystemPart } from './parts.ts';
import { ledgerEntries, levelOf, settledNodes, type LedgerLine } from './ledger-lines.ts';
import { renderLedger, renderSummaries } from './render.ts';

export interface PrefixInput {
  readonly state: FrontFacts;
  readonly systemPrompt: string;
  readonly memory: string;
  readonly counts: MessageCounts;
  /** Tokens the ledger may take. */
  readonly ledgerBudget: number;
}

/** The part that stays the same from turn to turn; made anew when `state.prefixRevision` has changed. */
export interface ContextPrefix {
  readonly system: readonly string[];
  readonly systemParts: readonly SystemPart[];
  readonly tokens: Pick<ContextTokens, SystemPart>;
  readonly cjk: number;
  readonly leftOut: readonly KeyEvent[];
}

/**
 * Costs in proportion to the ledger and the frontier, which is why the caller keeps it. Both grow at their ends with each
 * commit, and so does this, that what was sent stays where it was: key events stand right behind the summaries of what
 * they were said in, and what a commit adds comes last. What is told briefly is settled and stands in larger blocks, each
 * of messages that stay together however many follow.
 */
export function assemblePrefix(input: PrefixInput): ContextPrefix {
  const { state, systemPrompt, memory, counts, ledgerBudget } = input;
  const { kept, leftOut } = ledgerEntries(state, counts, ledgerBudget);
  const linesUpTo = linesInOrder(kept);
  const parts: (readonly [SystemPart, string])[] = [
    ['system', systemPrompt],
    ['memory', memory],
  ];
  const isFirst = (part: SystemPart): boolean => !parts.some(([one, text]) => one === part && text !== '');
  for (const items of inBlocks(state)) {
    parts.push(['summaries', renderSummaries(items, isFirst('summaries'))]);
    parts.push(['ledger', renderLedger(linesUpTo(items.at(-1)!.to), isFirst('ledger'))]);
  }
  const said = parts.filter(([, text]) => text !== '');
  const tokens = { system: 0, memory: 0, ledger: 0, summaries: 0 };
  const system = said.map(([, text]) => text);
  const blocks = counts.blocks(system);
  for (const [at, [part]] of said.entries()) tokens[part] += blocks[at]!.tokens + MESSAGE_FRAMING_TOKENS;
  return {
    system,
    systemParts: said.map(([part]) => part),
    cjk: blocks.reduce((sum, block) => sum + block.cjk, 0),
    tokens,
    leftOut,
  };
}

/** Settled nodes that end within the same so many messages stand in one block. */
const BLOCK_MESSAGES = 400;

/** The frontier's nodes as they stand together: the settled by where they end, the newer each for itself. */
function inBlocks(state: FrontFacts): SentItem[][] {
  const settled = settledNodes(state);
  const blocks: SentItem[][] = [];
  let key = -1;
  state.frontier.forEach((item, at) => {
    const sent = { ...item, level: levelOf(state, item) };
    const mine = at < settled ? Math.floor(item.to / BLOCK_MESSAGES) : -1;
    if (mine >= 0 && mine === key) blocks.at(-1)!.push(sent);
    else blocks.push([sent]);
    key = mine;
  });
  return blocks;
}

type SentItem = FrontierItem & { readonly level: Level };

/** Gives lines in their order, each once: those of messages up to a position that were not given yet. */
function linesInOrder(lines: readonly LedgerLine[]): (position: number) => string[] {
  let next = 0;
  return (position) => {
    const from = next;
    while (next < lines.length && lines[next]!.position <= position) next++;
    return lines.slice(from, next).map(({ line }) => line);
  };
}
