import { compressRun, DEFAULT_RUN_SETTINGS, type RunSettings, type RunTools } from '../core/compress/compress-run.ts';
import { FULL_SHARE } from '../core/compress/leaf.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { Pace, type SourceMessage } from '../core/compress/source.ts';
import { tell } from '../core/compress/tell.ts';
import { makeParent } from '../core/compress/tree.ts';
import { nodeId, type MessageId, type NodeId } from '../core/model/ids.ts';
import type { Span } from '../core/model/key-event.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { presetText, summaryPrompt, type PresetName, type SummaryPrompt } from '../core/prompts/render.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { JobModel } from './job-model.ts';
import { paidModel, type PaidModel, type PriceOf } from './paid-model.ts';
import { StoreFault, type Clock, type SessionJournal } from './ports.ts';
import type { ConversationSettings } from './settings.ts';
import { OPEN_GATE, type SpendGate } from './spend.ts';
import { messagesOf, nodeOf, SummaryFault } from './summary-changes.ts';

/** How a summary is made anew. */
export interface Resummary {
  readonly node: NodeId;
  /** Who writes it; code, where it is left out. */
  readonly model?: JobModel;
  /** What the user wants of this one, in a sentence or two; added to the prompt. */
  readonly instructions?: string;
  /** Makes the level `full` from the source, and sends it from now on; the shorter texts stay as they are. */
  readonly finer?: boolean;
}

export interface ResummarizeDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly counts: MessageCounts;
  readonly settings: () => ConversationSettings;
  readonly preset: () => PresetName;
  /** The user's own prompt in place of the preset's; throws `RangeError` when it cannot be used. */
  readonly promptText?: () => string | undefined;
  readonly price: PriceOf;
  /** No limit where it is left out. */
  readonly spendGate?: SpendGate;
}

/**
 * Makes one summary anew in its old place, from its own messages; a parent from its children, by code. One change,
 * which can be taken back. Rejects with `SummaryFault`, `SpendLimitReached`, `StoreFault` or what the model throws;
 * nothing is changed then.
 */
export async function resummarize(deps: ResummarizeDeps, wanted: Resummary, signal: AbortSignal): Promise<SummaryNode> {
  const { journal } = deps;
  const node = nodeOf(journal.state, wanted.node);
  if (journal.readOnly) throw new StoreFault('not_writer', journal.readOnly);
  const { spendGate = OPEN_GATE, price } = deps;
  const paid = wanted.model && paidModel(wanted.model, spendGate, price, signal);
  const tools = toolsFor(deps, paid, signal);
  try {
    const made = await make(deps, wanted, node, tools);
    signal.throwIfAborted();
    if (journal.state.nodes.get(node.id) !== node)
      throw new SummaryFault('changed', 'The summary was changed meanwhile, so the new one was dropped.');
    await journal.append({ type: 'node_replaced', node: made, ...(wanted.finer && { level: 'full' as const }) });
    return made;
  } finally {
    await journal.append(...(paid?.usage() ?? []));
  }
}

async function make(
  deps: ResummarizeDeps,
  wanted: Resummary,
  node: SummaryNode,
  tools: RunTools,
): Promise<SummaryNode> {
  const { journal, counts } = deps;
  const { state } = journal;
  const prompt = promptFor(deps, wanted.instructions);
  if (node.children.length > 0 && !wanted.finer) return rebuilt(state, node, tools);
  const messages = messagesOf(state, node);
  const tokens = messages.map((message) => counts.total(message));
  if (wanted.finer) {
    const source = tokens.reduce((sum, one) => sum + one, 0);
    const { temperature, maxOutputTokens } = runSettings(deps, prompt);
    const settings = { prompt, temperature, maxOutputTokens };
    const told = await tell(messages, tokens, Math.floor(source * FULL_SHARE), settings, tools, true);
    if (told.text === '' || told.tokens <= node.tokens.detailed) throw nothingShorter();
    return { ...node, full: told.text, tokens: { ...node.tokens, full: told.tokens } };
  }
  const { nodes } = await compressRun(
    { messages, tokens, frontier: [], wanted: eventSpans(state, messages) },
    runSettings(deps, prompt),
    tools,
  );
  const [made] = nodes;
  if (made?.messages !== node.messages) throw nothingShorter();
  // Without the old full text: it told of the same, in other words.
  return { ...made, id: node.id };
}

const nothingShorter = (): SummaryFault =>
  new SummaryFault('nothing_shorter', 'Nothing better could be made of these messages; the summary is as it was.');

async function rebuilt(state: SessionState, node: SummaryNode, tools: RunTools): Promise<SummaryNode> {
  const children = node.children.map((child) => nodeOf(state, child));
  const parent = await makeParent(children, {
    counter: tools.counter,
    pace: new Pace(tools.breather, tools.cancel),
    ceilings: DEFAULT_RUN_SETTINGS.ceilings,
    nextId: () => node.id,
    now: tools.now,
  });
  if (!parent) throw nothingShorter();
  return parent;
}

function eventSpans(state: SessionState, messages: readonly SourceMessage[]): ReadonlyMap<number, readonly Span[]> {
  const at = new Map<MessageId, number>(messages.map(({ id }, index) => [id, index]));
  const spans = new Map<number, Span[]>();
  for (const event of state.events.values()) {
    const index = at.get(event.message);
    if (index === undefined || state.isRemoved(event.id)) continue;
    spans.set(index, [...(spans.get(index) ?? []), event]);
  }
  return spans;
}

function promptFor({ preset, promptText, settings }: ResummarizeDeps, instructions: string | undefined): SummaryPrompt {
  const { style } = settings().policy.summary;
  const own = promptText?.();
  const asked = instructions?.trim() ?? '';
  if (asked === '') return summaryPrompt(preset(), own, style);
  // What the user writes is no template.
  const plain = asked.replaceAll('{{', '{ {');
  return summaryPrompt(preset(), `${own ?? presetText(preset())}\n\nFor this record in particular: ${plain}`, style);
}

function runSettings({ settings }: ResummarizeDeps, prompt: SummaryPrompt): RunSettings {
  const { summary } = settings().policy;
  const { ceilings } = DEFAULT_RUN_SETTINGS;
  return {
    ...DEFAULT_RUN_SETTINGS,
    prompt,
    // One node stands for what one stood for, whatever its size.
    segmentTokens: Number.MAX_SAFE_INTEGER,
    frontierTokens: Number.MAX_SAFE_INTEGER,
    ceilings: { ...ceilings, detailed: Math.max(ceilings.detailed, summary.maxTokens) },
    temperature: summary.temperature,
    maxOutputTokens: summary.maxTokens,
  };
}

function toolsFor({ clock, counter }: ResummarizeDeps, paid: PaidModel | undefined, signal: AbortSignal): RunTools {
  return {
    counter,
    nextId: () => nodeId(clock.id()),
    now: () => clock.now(),
    breather: clock.breather,
    cancel: signal,
    calls: new CallLog(),
    ...(paid && { model: paid.model }),
  };
}
