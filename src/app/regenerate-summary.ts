import { extractFull, MAX_SHARE } from '../core/compress/node-content.ts';
import type { SourceMessage } from '../core/compress/source-message.ts';
import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { summarizeRuns } from '../core/compress/summarize.ts';
import { makeParent } from '../core/compress/tree.ts';
import { nodeId, type MessageId, type NodeId } from '../core/model/ids.ts';
import type { DetectedEvent } from '../core/model/key-event.ts';
import { isSameSummary, type SummaryNode } from '../core/model/summary.ts';
import { summaryPrompt } from '../core/prompts/render-prompts.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { CheckSummaryDeps } from './check-summary.ts';
import type { CompressSessionDeps } from './compress-session.ts';
import { isUnusableAnswer, ModelFault } from './fault.ts';
import { spendLimitedModel, type SpendLimitedModel } from './spend-limited-model.ts';
import { languageWarnings, type SummarizerConfig } from './summarizer.ts';
import type { SessionDeps } from './session-deps.ts';
import { messagesOf, nodeOf, ChangeFault } from './summary-changes.ts';

export interface RegenerateOptions {
  readonly node: NodeId;
  /** Absent: the summary is extracted. */
  readonly model?: SummarizerConfig;
  /** The user's instructions for this summary, which are added to the prompt. */
  readonly instructions?: string;
  /** Whether only the level `full` is created, at which the summary is sent from now on. */
  readonly finer?: boolean;
}

export interface RegenerateDeps
  extends
    CheckSummaryDeps,
    Pick<SessionDeps, 'settings' | 'log'>,
    Pick<CompressSessionDeps, 'preset' | 'promptText' | 'languageRetries'> {
  readonly counts: MessageCounts;
}

/**
 * Regenerates a summary from its messages, or a parent from its children without a model. This can be undone. Rejects
 * with `ChangeFault`, `SpendLimitReached`, `StoreFault`, or the model's error without changing any summary.
 */
export async function regenerateSummary(
  deps: RegenerateDeps,
  options: RegenerateOptions,
  signal: AbortSignal,
): Promise<SummaryNode> {
  const { journal } = deps;
  const node = nodeOf(journal.state, options.node);
  if (journal.readOnly) throw journal.readOnly;
  const { spendGate, price, recordUsage } = deps;
  const paid = options.model && spendLimitedModel(options.model, spendGate, price, signal);
  try {
    const made = await generate(deps, options, node, paid, signal);
    signal.throwIfAborted();
    if (!isSameSummary(node, journal.state.nodes.get(node.id))) throw new ChangeFault('changed');
    await journal.append({ type: 'node_replaced', node: made, ...(options.finer && { level: 'full' as const }) });
    return made;
  } finally {
    await recordUsage(paid?.takeUsage() ?? []);
  }
}

async function generate(
  deps: RegenerateDeps,
  options: RegenerateOptions,
  node: SummaryNode,
  paid: SpendLimitedModel | undefined,
  signal: AbortSignal,
): Promise<SummaryNode> {
  const { journal, counts, counter, clock, preset, promptText, settings, languageRetries, log } = deps;
  const { state } = journal;
  const { summary } = settings().policy;
  const pace = new CancellableYielder(clock.yielder, signal);
  const now = (): number => clock.now();
  if (node.children.length > 0 && !options.finer) {
    const children = node.children.map((child) => nodeOf(state, child));
    const parent = await makeParent(children, { counter, pace, nextId: () => node.id, now });
    if (!parent) throw new ChangeFault('nothing_shorter');
    return parent;
  }
  const messages = messagesOf(state, node);
  const tokens = messages.map((message) => counts.total(message));
  const source = tokens.reduce((sum, one) => sum + one, 0);
  if (options.finer) {
    const full = await extractFull(messages, source, { counter, pace });
    if (full.text === '' || full.tokens <= node.tokens.detailed) throw new ChangeFault('nothing_shorter');
    return { ...node, full: full.text, tokens: { ...node.tokens, full: full.tokens } };
  }
  const room = Math.max(node.tokens.detailed, Math.floor(source * MAX_SHARE.detailed));
  const { leaves, fault } = await summarizeRuns(
    [{ messages, tokens, events: eventsOf(state, messages) }],
    {
      ...summary,
      roomTokens: room,
      ceilingTokens: source,
      // Don't split: a single node replaces the old one.
      segment: { tokens: Infinity, messages: Infinity },
      prompt: summaryPrompt(preset(), promptText?.(), summary.style, options.instructions),
      concurrency: 1,
      isUnusable: isUnusableAnswer,
      extractiveOnFault: false,
    },
    {
      ...{ counter, now, pace, languageRetries, calls: new CallLog() },
      nextId: () => nodeId(clock.id()),
      onForeignLanguage: languageWarnings((message) => log.warn(`Session ${journal.id}: ${message}`)),
      ...(paid && { model: paid.model }),
    },
  );
  if (ModelFault.is(fault)) throw fault;
  const made = leaves[0]?.[0];
  // Summaries that fell back to extraction or don't cover all messages are discarded.
  const isExtracted = paid !== undefined && (made?.rung === 'extractive' || made?.rung === 'cut');
  if (fault !== undefined || isExtracted || made?.messages !== node.messages) throw new ChangeFault('nothing_shorter');
  // The old level `full` is discarded, because it belonged to the previous summary.
  return { ...made, id: node.id, ...(node.replaces && { replaces: node.replaces }) };
}

function eventsOf(
  state: SessionState,
  messages: readonly SourceMessage[],
): ReadonlyMap<number, readonly DetectedEvent[]> {
  const at = new Map<MessageId, number>(messages.map(({ id }, index) => [id, index]));
  const events = [...state.events.values()].filter(({ id, message }) => at.has(message) && !state.isRemoved(id));
  return Map.groupBy(events, ({ message }) => at.get(message)!);
}
