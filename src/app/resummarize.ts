import { DETAILED_SHARE, extractAll, FULL_SHARE } from '../core/compress/leaf.ts';
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
import { paidModel, type JobModel, type PaidModel, OPEN_GATE, type SpendGate } from './paid-model.ts';
import type { SessionParts } from './session-parts.ts';
import { messagesOf, nodeOf, SummaryFault } from './summary-changes.ts';

/** How a summary is regenerated. */
export interface Resummary {
  readonly node: NodeId;
  /** Who writes it; code, where it is left out. */
  readonly model?: JobModel;
  /** What the user wants of this one, in a sentence or two; added to the prompt. */
  readonly instructions?: string;
  /** Makes the level `full` from the source, and sends it from now on; the shorter texts stay as they are. */
  readonly finer?: boolean;
}

export interface ResummarizeDeps extends Pick<SessionParts, 'journal' | 'clock' | 'counter' | 'settings' | 'price'> {
  readonly counts: MessageCounts;
  readonly preset: () => PresetName;
  /** The user's own prompt in place of the preset's; throws `RangeError` when it cannot be used. */
  readonly promptText?: () => string | undefined;
  /** No limit where it is left out. */
  readonly spendGate?: SpendGate;
}

/**
 * Regenerates one summary in its place, from its own messages; a parent from its children, without a model. One change,
 * which can be undone. Rejects with `SummaryFault`, `SpendLimitReached`, `StoreFault` or what the model throws;
 * nothing is changed then.
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
  const pace = new Pace(clock.breather, signal);
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
      // One node stands for what one stood for, whatever its size.
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
  // What code would extract in place of unusable answers is not what was asked for.
  if (fault !== undefined || made?.messages !== node.messages) throw nothingShorter();
  // Without the old full text: it told of the same, in other words.
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
