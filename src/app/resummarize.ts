import { DETAILED_SHARE, extractAll, FULL_SHARE } from '../core/compress/node-content.ts';
import { Pace, type SourceMessage } from '../core/compress/source.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { summarizeRuns } from '../core/compress/summarize.ts';
import { makeParent } from '../core/compress/tree.ts';
import { nodeId, type MessageId, type NodeId } from '../core/model/ids.ts';
import type { DetectedEvent } from '../core/model/key-event.ts';
import { isSameSummary, type SummaryNode } from '../core/model/summary.ts';
import { summaryPrompt, type PresetName } from '../core/prompts/render.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import { PARENT_CEILINGS } from './compress-session.ts';
import { paidModel, type SummarizerConfig, type PaidModel, OPEN_GATE, type SpendGate } from './spend-limited-model.ts';
import type { SessionParts } from './session-parts.ts';
import { messagesOf, nodeOf, SummaryFault } from './summary-changes.ts';

/** How to regenerate a summary. */
export interface Resummary {
  readonly node: NodeId;
  /** The model; by default, the summary is extracted. */
  readonly model?: SummarizerConfig;
  /** The user's wishes for this summary, which are added to the prompt. */
  readonly instructions?: string;
  /** Creates the level `full` from the source and sends it from now on; the shorter texts stay. */
  readonly finer?: boolean;
}

export interface ResummarizeDeps extends Pick<SessionParts, 'journal' | 'clock' | 'counter' | 'settings' | 'price'> {
  readonly counts: MessageCounts;
  readonly preset: () => PresetName;
  /** The user's prompt instead of the preset's. Throws `RangeError` if it's invalid. */
  readonly promptText?: () => string | undefined;
  /** Default: no limit. */
  readonly spendGate?: SpendGate;
}

/**
 * Regenerates a summary from its own messages, or a parent from its children without a model. It's a single change that
 * can be undone. Rejects with `SummaryFault`, `SpendLimitReached`, `StoreFault`, or the model's error without changing
 * anything.
 */
export async function resummarize(deps: ResummarizeDeps, wanted: Resummary, signal: AbortSignal): Promise<SummaryNode> {
  const { journal } = deps;
  const node = nodeOf(journal.state, wanted.node);
  const refusal = journal.readOnly;
  if (refusal) throw refusal;
  const { spendGate = OPEN_GATE, price } = deps;
  const paid = wanted.model && paidModel(wanted.model, spendGate, price, signal);
  try {
    const made = await make(deps, wanted, node, paid, signal);
    signal.throwIfAborted();
    if (!isSameSummary(node, journal.state.nodes.get(node.id)))
      throw new SummaryFault('changed', 'The summary changed in the meantime, so the new one was discarded.');
    await journal.append({ type: 'node_replaced', node: made, ...(wanted.finer && { level: 'full' as const }) });
    return made;
  } finally {
    await journal.append(...(paid?.takeUsage() ?? []));
  }
}

async function make(
  deps: ResummarizeDeps,
  wanted: Resummary,
  node: SummaryNode,
  paid: PaidModel | undefined,
  signal: AbortSignal,
): Promise<SummaryNode> {
  const { journal, counts, counter, clock, preset, promptText, settings } = deps;
  const { state } = journal;
  const { summary } = settings().policy;
  const pace = new Pace(clock.yielder, signal);
  const now = (): number => clock.now();
  if (node.children.length > 0 && !wanted.finer) {
    const children = node.children.map((child) => nodeOf(state, child));
    const parent = await makeParent(children, { counter, pace, ceilings: PARENT_CEILINGS, nextId: () => node.id, now });
    if (!parent) throw nothingShorter();
    return parent;
  }
  const messages = messagesOf(state, node);
  const tokens = messages.map((message) => counts.total(message));
  const source = tokens.reduce((sum, one) => sum + one, 0);
  if (wanted.finer) {
    const full = await extractAll(messages, source, Math.floor(source * FULL_SHARE), { counter, pace });
    if (full.text === '' || full.tokens <= node.tokens.detailed) throw nothingShorter();
    return { ...node, full: full.text, tokens: { ...node.tokens, full: full.tokens } };
  }
  const room = Math.max(node.tokens.detailed, Math.floor(source * DETAILED_SHARE));
  const { runs, fault } = await summarizeRuns(
    [{ messages, tokens, events: eventsOf(state, messages) }],
    {
      ...summary,
      roomTokens: room,
      ceilingTokens: source,
      // A single node replaces the old one, whatever its size.
      segment: { tokens: Infinity, messages: Infinity },
      prompt: summaryPrompt(preset(), promptText?.(), summary.style, wanted.instructions),
      concurrency: 1,
      extractiveOnFault: false,
    },
    {
      counter,
      nextId: () => nodeId(clock.id()),
      now,
      pace,
      calls: new CallLog(),
      ...(paid && { model: paid.model }),
    },
  );
  const made = runs[0]?.leaves[0];
  // An extracted summary isn't what the user asked for.
  if (fault !== undefined || made?.messages !== node.messages) throw nothingShorter();
  // Without the old full text, which was based on the previous summary.
  return { ...made, id: node.id };
}

const nothingShorter = (): SummaryFault =>
  new SummaryFault('nothing_shorter', 'Couldn’t generate a better summary. The existing one was kept.');

function eventsOf(
  state: SessionState,
  messages: readonly SourceMessage[],
): ReadonlyMap<number, readonly DetectedEvent[]> {
  const at = new Map<MessageId, number>(messages.map(({ id }, index) => [id, index]));
  const events = new Map<number, DetectedEvent[]>();
  for (const event of state.events.values()) {
    const index = at.get(event.message);
    if (index === undefined || state.isRemoved(event.id)) continue;
    events.set(index, [...(events.get(index) ?? []), event]);
  }
  return events;
}
