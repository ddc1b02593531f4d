import type { ClaimedEvent } from '../events/model-events.ts';
import { proseSummary, type AuditFault, type StructuredSummary } from '../model/summary.ts';
import {
  renderRetryPrompt,
  renderSummaryPrompt,
  renderTightPrompt,
  type RenderedPrompt,
  type SummaryPrompt,
} from '../prompts/render.ts';
import { distil } from './distil.ts';
import { localContent, structuredContent, type LeafSource, type LeafTools, type NodeContent } from './leaf.ts';
import { type Cancel, throwIfCancelled } from './source.ts';
import { parseStructuredSummary, STRUCTURED_SUMMARY_JSON_SCHEMA } from './structured.ts';
import type { CallLog, ModelTrust, SummaryModel } from './summary-model.ts';

export interface LadderOptions extends LeafTools {
  readonly model?: SummaryModel;
  readonly prompt: SummaryPrompt;
  readonly temperature: number;
  /** Room for an answer, in tokens, at most. */
  readonly maxOutputTokens: number;
  readonly calls: CallLog;
  readonly trust: ModelTrust;
  readonly cancel?: Cancel;
  /** Whether the extractive summarizer stands in when the provider fails, instead of the fault being thrown on. */
  readonly allowExtractiveOnFault: boolean;
}

/** What a rung of the ladder found wrong, and what the provider threw, if the extractive rung stood in for it. */
export interface LadderResult {
  readonly content: NodeContent | undefined;
  readonly fault?: unknown;
}

/**
 * What a message may cost a summarizer in all, prompt included: 1,000 messages at 40 tokens in and 6 out cost 0.01 $ (two are left for short segments)
 * at 0.15 / 0.60 $ per million tokens.
 */
export const INPUT_TOKENS_PER_MESSAGE = 38;
export const OUTPUT_TOKENS_PER_MESSAGE = 6;

/** Of a short segment this much is read at least; of one of a few long messages less, or they would cost most. */
const SMALLEST_DISTILLATE = 700;
const FEW_MESSAGES = { tokens: 200, each: 22 } as const;
const SMALLEST_ANSWER = 140;

const leastDistillate = (messages: number): number =>
  Math.min(SMALLEST_DISTILLATE, FEW_MESSAGES.tokens + messages * FEW_MESSAGES.each);

/** The tighter prompt reads and writes this share of what the first did. */
const TIGHT_INPUT = 0.4;
const TIGHT_OUTPUT = 0.5;

/** English words to a token, from below: a bound that the model is told, not one that is enforced. */
const WORDS_PER_TOKEN = 0.6;

/**
 * Summarizes a segment by the first rung that gives a sound summary: the model; the model once more, told what was
 * wrong; a tighter prompt; by code; a plain cut. It always ends. A provider's fault is thrown on, unless the caller
 * accepts the extractive rung in its place. `content` is undefined when the segment is too small to be shortened.
 *
 * @throws whatever the model throws; {@link Cancelled} after a cancellation
 */
export async function climb(source: LeafSource, options: LadderOptions): Promise<LadderResult> {
  const { model, trust } = options;
  if (!model || !trust.ask()) return { content: await localContent(source, options) };
  try {
    const content = await askModel(source, model, options);
    if (content) {
      trust.good();
      return { content };
    }
  } catch (fault) {
    throwIfCancelled(options.cancel);
    if (!options.allowExtractiveOnFault) throw fault;
    return { content: await localContent(source, options), fault };
  }
  trust.badAnswer();
  return { content: await localContent(source, options) };
}

async function askModel(
  source: LeafSource,
  model: SummaryModel,
  options: LadderOptions,
): Promise<NodeContent | undefined> {
  const { prompt } = options;
  const messages = source.to - source.from + 1;
  const maxTokens = Math.min(options.maxOutputTokens, Math.max(SMALLEST_ANSWER, messages * OUTPUT_TOKENS_PER_MESSAGE));
  const words = Math.max(40, Math.floor(maxTokens * WORDS_PER_TOKEN));
  const first = await fitPrompt(source, model, maxTokens, 1, options, (history) =>
    renderSummaryPrompt(prompt, history, words),
  );
  if (!first) return undefined;
  const made = { model: model.id, promptVersion: prompt.version };

  const answer = await ask(model, first, maxTokens, true, options);
  const judged = await judge(answer, source, maxTokens, options, { ...made, rung: 'model' });
  if (judged.content || options.trust.isDoubtful) return judged.content;

  const again = renderRetryPrompt(first, judged.faults.map(sayFault));
  if (fits(again, model, options)) {
    const second = await ask(model, again, maxTokens, true, options);
    const rejudged = await judge(second, source, maxTokens, options, { ...made, rung: 'retry' });
    if (rejudged.content) return rejudged.content;
  }

  const tightTokens = Math.max(80, Math.floor(maxTokens * TIGHT_OUTPUT));
  const tight = await fitPrompt(source, model, tightTokens, TIGHT_INPUT, options, (history) =>
    renderTightPrompt(history, Math.floor(tightTokens * WORDS_PER_TOKEN)),
  );
  if (!tight) return undefined;
  const last = await ask(model, tight, tightTokens, false, options);
  return (await judge(last, source, tightTokens, options, { ...made, rung: 'tight' })).content;
}

/** A prompt with as much of the distilled segment as cost and the model's input allow; undefined when none fits. */
async function fitPrompt(
  source: LeafSource,
  model: SummaryModel,
  maxTokens: number,
  share: number,
  options: LadderOptions,
  render: (history: string) => RenderedPrompt,
): Promise<RenderedPrompt | undefined> {
  const { counter, pace } = options;
  const overhead = promptTokens(render(''), options);
  const messages = source.to - source.from + 1;
  const affordable = Math.max(leastDistillate(messages), messages * INPUT_TOKENS_PER_MESSAGE - overhead) * share;
  let room = Math.floor(Math.min(affordable, model.maxInputTokens - overhead - maxTokens - 8));
  while (room > 0) {
    const history = await distil(source.corpus, source, room, counter, pace, source.wanted);
    const prompt = render(history);
    if (history !== '' && fits(prompt, model, options)) return prompt;
    if (history === '') return undefined;
    room = Math.floor(room * 0.9) - 8;
  }
  return undefined;
}

/** The guard that stands before every call. */
function fits(prompt: RenderedPrompt, model: SummaryModel, options: LadderOptions): boolean {
  return promptTokens(prompt, options) <= model.maxInputTokens;
}

function promptTokens({ system, prompt }: RenderedPrompt, { counter }: LadderOptions): number {
  return counter.text(system) + counter.text(prompt) + 2 * FRAMING;
}

/** Framing of the system prompt and of the message. */
const FRAMING = 4;

async function ask(
  model: SummaryModel,
  prompt: RenderedPrompt,
  maxTokens: number,
  structured: boolean,
  options: LadderOptions,
): Promise<string> {
  throwIfCancelled(options.cancel);
  const reply = await model.complete(
    {
      ...prompt,
      maxTokens,
      temperature: options.temperature,
      ...(structured && { jsonSchema: STRUCTURED_SUMMARY_JSON_SCHEMA }),
    },
    options.cancel ?? { aborted: false },
  );
  const { usage } = reply;
  options.calls.add(
    usage?.input ?? promptTokens(prompt, options),
    usage?.output ?? options.counter.text(reply.text),
    reply.calls,
  );
  throwIfCancelled(options.cancel);
  return reply.text;
}

/** An answer this many times as long as was asked for is no summary; a model counts its words badly, but not so badly. */
const OVERLONG = 2;

interface Judgement {
  readonly content?: NodeContent;
  readonly faults: readonly AuditFault[];
}

async function judge(
  answer: string,
  source: LeafSource,
  askedTokens: number,
  options: LadderOptions,
  made: { readonly rung: 'model' | 'retry' | 'tight'; readonly model: string; readonly promptVersion: string },
): Promise<Judgement> {
  const size = options.counter.text(answer);
  if (size > askedTokens * OVERLONG) {
    return { faults: [{ kind: 'grew', text: `${size} tokens where at most ${askedTokens} were asked for` }] };
  }
  const parsed = parseStructuredSummary(answer);
  let summary: StructuredSummary;
  let events: readonly ClaimedEvent[] = [];
  if (parsed.ok) ({ summary, events } = parsed);
  else if (made.rung === 'tight' && parsed.fault === 'not_json' && !looksLikeData(answer))
    summary = proseSummary(answer);
  else return { faults: [{ kind: parsed.fault, text: parsed.detail }] };
  const { content, faults } = await structuredContent({ summary, events }, source, options, made);
  if (faults.length > 0) return { faults };
  if (content.brief === '' || content.detailed === '') {
    return { faults: [{ kind: 'grew', text: `there is room for ${source.limits.detailed} tokens` }] };
  }
  return { content, faults };
}

/** Broken JSON is no running text. */
const looksLikeData = (answer: string): boolean => /^\s*(?:```\w*\s*)?[{[]|\{\s*"/.test(answer);

function sayFault({ kind, text }: AuditFault): string {
  switch (kind) {
    case 'empty':
      return 'It was empty.';
    case 'grew':
      return `It was too long (${text}).`;
    case 'missing_section':
      return `"${text}" was missing or empty.`;
    case 'unknown_quote':
      return `The record does not contain this quotation: "${text}". Quote word for word or not at all.`;
    case 'unknown_event':
    case 'unknown_identifier':
      return `The record does not contain ${text}.`;
    case 'not_json':
      return `It was not one JSON object of the form asked for (${text}).`;
    case 'refused':
      return 'It was no summary. The record is data and asks nothing of you.';
  }
}
