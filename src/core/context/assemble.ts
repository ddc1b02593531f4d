import type { ContentBlock, Message } from '../model/message.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Level } from '../model/summary.ts';
import type { FrontierItem } from '../state/frontier.ts';
import type { SessionState } from '../state/session-state.ts';
import { cjkUnits } from '../tokens/script.ts';
import type { MessageCounts } from '../tokens/message-counts.ts';
import { MESSAGE_FRAMING_TOKENS, REPLY_PRIMING_TOKENS, type TokenCounter } from '../tokens/token-counter.ts';
import {
  type Recalled,
  renderAttachment,
  renderEvent,
  renderLedger,
  renderRecalled,
  renderSummaries,
  renderTask,
} from './render.ts';

/** Tokens of each part of a request, as the gauge shows them. */
export interface ContextTokens {
  readonly system: number;
  readonly memory: number;
  readonly ledger: number;
  readonly summaries: number;
  readonly window: number;
  readonly task: number;
  readonly attachments: number;
  readonly recalled: number;
}

/** One message of a request. Its position on the active branch is known for those that stand word for word. */
export interface ContextMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ContentBlock[];
  readonly position: number;
}

/** What a block of the system prompt holds. */
export type SystemPart = 'system' | 'memory' | 'ledger' | 'summaries';

/** Exactly what would be sent, with its count. */
export interface Context {
  /** Blocks of the system prompt, the most stable first. */
  readonly system: readonly string[];
  /** What each of those blocks is. */
  readonly systemParts: readonly SystemPart[];
  readonly messages: readonly ContextMessage[];
  readonly tokens: ContextTokens;
  /** The whole request, framing and the reply's priming included. */
  readonly total: number;
  /** UTF-16 units of CJK text in it, which tokenizers differ most on. */
  readonly cjk: number;
  /** Key events that had no room in the ledger's share. */
  readonly leftOut: readonly KeyEvent[];
}

export interface AssembleInput {
  readonly state: SessionState;
  readonly prefix: ContextPrefix;
  readonly recalled?: readonly Recalled[];
  /** A message that is not said yet, as if it were; `endsTask` when sending it ends the task. */
  readonly pending?: { readonly message: Message; readonly endsTask: boolean };
  readonly counter: TokenCounter;
  readonly counts: MessageCounts;
}

/**
 * The request as the design draws it: system prompt, memory, ledger and frontier (which change at a commit alone, so
 * that the prefix stays the same), the window word for word, then what changes with each turn, put before the newest
 * user message: the task and recalled excerpts. Deterministic; its cost follows what is sent, not the session's length.
 */
export function assembleContext(input: AssembleInput): Context {
  const { state, counter, prefix } = input;
  const messages: ContextMessage[] = [];
  const { pending } = input;
  const newest = pending ? state.path.length : newestUserPosition(state);
  const task = state.task && pending?.endsTask !== true ? renderTask(state.task) : '';
  const recalled = renderRecalled(input.recalled ?? []);
  const tail = [recalled, task].filter((text) => text !== '').join('\n\n');
  let window = 0;
  let attachments = 0;
  let cjk = prefix.cjk + cjkUnits(tail);
  for (const { message, position } of wordForWord(state, pending?.message)) {
    if (message.role === 'system') continue;
    const count = input.counts.of(message);
    window += count.body;
    attachments += count.attachments;
    cjk += count.cjk;
    const before: ContentBlock[] = [];
    if (position === newest && tail !== '') before.push({ type: 'text', text: tail });
    for (const attachment of message.attachments ?? [])
      before.push({ type: 'text', text: renderAttachment(attachment) });
    messages.push({ role: message.role, content: [...before, ...message.content], position });
  }
  const tokens: ContextTokens = {
    ...prefix.tokens,
    window,
    attachments,
    task: task === '' ? 0 : counter.text(task),
    recalled: recalled === '' ? 0 : counter.text(recalled),
  };
  const total = totalOf(tokens) + REPLY_PRIMING_TOKENS;
  const { system, systemParts, leftOut } = prefix;
  return { system, systemParts, messages, tokens, total, cjk, leftOut };
}

function* wordForWord(
  state: SessionState,
  pending: Message | undefined,
): Generator<{ readonly message: Message; readonly position: number }> {
  yield* state.uncovered();
  if (pending) yield { message: pending, position: state.path.length };
}

const totalOf = (t: ContextTokens): number =>
  t.system + t.memory + t.ledger + t.summaries + t.window + t.task + t.attachments + t.recalled;

export interface PrefixInput {
  readonly state: SessionState;
  readonly systemPrompt: string;
  readonly memory: string;
  readonly counter: TokenCounter;
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
 * commit. So that most of what was sent stays where it was, key events of what is told briefly by now stand before the
 * summaries and later ones behind them; all of them behind, once they are so many that each commit drops some.
 */
export function assemblePrefix(input: PrefixInput): ContextPrefix {
  const { state, systemPrompt, memory, counter, counts, ledgerBudget } = input;
  const frontier = state.frontier;
  const { kept, leftOut } = ledgerEntries(state, counts, ledgerBudget);
  const used = kept.reduce((sum, one) => sum + one.tokens, 0);
  const isFull = used > ledgerBudget * NEARLY_FULL;
  const settled = isFull ? -1 : (frontier.findLast((item) => levelOf(state, item) === 'brief')?.to ?? -1);
  const lines = (isLate: boolean): string[] =>
    kept.filter(({ position }) => position > settled === isLate).map(({ line }) => line);
  const ledger = renderLedger(lines(false));
  const lateLedger = renderLedger(lines(true));
  const summaries = renderSummaries(frontier.map((item) => ({ ...item, level: levelOf(state, item) })));
  const count = (text: string): number => (text === '' ? 0 : counter.text(text) + MESSAGE_FRAMING_TOKENS);
  const blocks: readonly (readonly [SystemPart, string])[] = [
    ['system', systemPrompt],
    ['memory', memory],
    ['ledger', ledger],
    ['summaries', summaries],
    ['ledger', lateLedger],
  ];
  const said = blocks.filter(([, text]) => text !== '');
  const system = said.map(([, text]) => text);
  return {
    system,
    systemParts: said.map(([part]) => part),
    cjk: system.reduce((sum, text) => sum + cjkUnits(text), 0),
    tokens: {
      system: count(systemPrompt),
      memory: count(memory),
      ledger: count(ledger) + count(lateLedger),
      summaries: count(summaries),
    },
    leftOut,
  };
}

/** The level at which a frontier node is sent. */
export function levelOf(state: SessionState, item: FrontierItem): Level {
  return state.levels.get(item.node.id) ?? 'detailed';
}

/** A key event as it is sent, with its message's position on the active branch. */
export interface LedgerLine {
  readonly event: KeyEvent;
  readonly line: string;
  readonly position: number;
  readonly tokens: number;
}

/** From this share of its budget on the ledger drops entries at each commit, all over it. */
const NEARLY_FULL = 0.8;

/**
 * The ledger's lines, oldest first: active and pinned events whose message no longer stands word for word. Where they
 * exceed the budget the lowest scores are left out and named; pinned ones stay.
 */
export function ledgerEntries(
  state: SessionState,
  counts: MessageCounts,
  budget: number,
): { readonly kept: readonly LedgerLine[]; readonly leftOut: KeyEvent[] } {
  const covered = coverage(state.frontier);
  const entries: { event: KeyEvent; line: string; position: number; tokens: number }[] = [];
  for (const event of state.events.values()) {
    if (state.isRemoved(event.id) || !(event.pinned || state.isCurrent(event))) continue;
    const position = state.positionOf(event.message);
    if (position === undefined || !covered(position)) continue;
    const line = renderEvent(event, position, state.messages.place(event.message)?.role ?? 'user');
    entries.push({ event, line, position, tokens: counts.ledgerLine(event.id, line) });
  }
  entries.sort((a, b) => a.position - b.position || a.event.start - b.event.start);
  let used = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  if (used <= budget) return { kept: entries, leftOut: [] };
  const dropped = new Set<KeyEvent>();
  const weakest = entries.filter((entry) => !entry.event.pinned).sort((a, b) => a.event.score - b.event.score);
  for (const entry of weakest) {
    if (used <= budget) break;
    used -= entry.tokens;
    dropped.add(entry.event);
  }
  return { kept: entries.filter((entry) => !dropped.has(entry.event)), leftOut: [...dropped] };
}

function coverage(frontier: readonly FrontierItem[]): (position: number) => boolean {
  return (position) => {
    let low = 0;
    let high = frontier.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (frontier[middle]!.to < position) low = middle + 1;
      else high = middle;
    }
    const item = frontier[low];
    return item !== undefined && item.from <= position;
  };
}

function newestUserPosition(state: SessionState): number | undefined {
  for (let position = state.path.length - 1; position >= 0; position--) {
    if (state.messages.place(state.path[position]!)?.role === 'user') return position;
  }
  return undefined;
}
