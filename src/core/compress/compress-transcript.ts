import { renderLedger } from '../context/render.ts';
import type { FittedLedger } from '../events/ledger-budget.ts';
import type { Span } from '../model/key-event.ts';
import type { SummaryNode } from '../model/summary.ts';
import type { Strategy } from '../policy/policy.ts';
import { summaryPrompt } from '../prompts/render.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { countMessages } from './counting.ts';
import { DEFAULT_RUN_SETTINGS, type RunSettings, type RunTools } from './compress-run.ts';
import { CONTEXT_FRAME } from './narrative-frame.ts';
import { narrate, withoutModel, type NarrativeInput } from './narrative.ts';
import { LEAST_TOKENS } from './segments.ts';
import { asSent, assembleSent, blocks, type SentMessage } from './sent-messages.ts';
import { Pace, type SourceMessage, throwIfCancelled } from './source.ts';
import { CallLog } from './summary-model.ts';
import {
  asKeyEvent,
  detectAll,
  entriesOf,
  spansByMessage,
  withNamed,
  type Detect,
  type TranscriptEvent,
} from './transcript-events.ts';
import { fitEvents, ledgerText } from './transcript-ledger.ts';
import { coveredRanges, transcriptWindow } from './transcript-window.ts';
import { withoutSpans } from './without-spans.ts';

export interface TranscriptOptions {
  /** Binds all that is sent: narrative, ledger and window, framing included. */
  readonly targetTokens: number;
  /** Newest messages to send word for word. By default 10, as far as 15 % of the target go. */
  readonly keepRecent?: number;
  readonly strategy?: Strategy;
  /** Share of the target that the ledger may take. */
  readonly ledgerShare?: number;
  readonly settings?: Partial<RunSettings>;
}

export interface TranscriptTools extends RunTools {
  readonly detect?: Detect;
}

/** A node with the indices of the messages it covers, inclusive. */
export interface TranscriptNode {
  readonly node: SummaryNode;
  readonly from: number;
  readonly to: number;
}

export interface CompressedTranscript {
  readonly messages: readonly SentMessage[];
  readonly events: readonly TranscriptEvent[];
  readonly nodes: readonly TranscriptNode[];
  readonly tokens: { readonly before: number; readonly after: number; readonly target: number };
  readonly calls: CallLog;
  readonly fault?: unknown;
}

/** The target is too small even for the newest user message with a line about what came before. */
export class TargetTooSmall extends Error {
  override readonly name = 'TargetTooSmall';
  /** Tokens that would do. */
  readonly needed: number;
  /** The key events that were found, none of them placed. */
  readonly events: readonly TranscriptEvent[];

  constructor(needed: number, target: number, events: readonly TranscriptEvent[]) {
    super(`The newest user message and a line of summary need ${needed} tokens; the target is ${target}.`);
    this.needed = needed;
    this.events = events;
  }
}

const DEFAULT_KEEP = 10;
const DEFAULT_LEDGER_SHARE = 0.15;

/** A window that was not asked for takes no more of the target than this; one that was, no more than that. */
const WINDOW_SHARE = 0.15;
const ASKED_WINDOW_SHARE = 0.75;

/** Of the target, for key events that a model names beside those that were found. */
const NAMED_SHARE = 0.02;
/** Of the ledger's own room, at most. */
const MOST_NAMED_SHARE = 0.25;

/** Searching a text is so many times as fast as cutting it, which paces are measured by. */
const SEARCHED_PER_CUT = 20;

/** A summary of anything takes this much at least: its frame, a heading and a few words. */
const LEAST_NARRATIVE = 90;

/**
 * A transcript within a target: what was said earlier as a ledger of quotes and a narrative, then the window word for
 * word. The target binds all of it; where the window asked for does not fit, it shrinks, the newest user message last.
 * A transcript that is short enough comes back as it is.
 *
 * @throws {TargetTooSmall}
 * @throws {Cancelled} and what the model throws, as `compressRun`
 */
export async function compressTranscript(
  messages: readonly SourceMessage[],
  options: TranscriptOptions,
  tools: TranscriptTools,
): Promise<CompressedTranscript> {
  const { counter, cancel } = tools;
  const { targetTokens: target, strategy = 'smart' } = options;
  const pace = new Pace(tools.breather, cancel);
  const calls = tools.calls ?? new CallLog();
  throwIfCancelled(cancel);
  const tokens = await countMessages(messages, counter, pace);
  const before = tokens.reduce((sum, one) => sum + one, 0);
  const found = await detectAll(messages, tools.detect, pace);
  let entries = await entriesOf(found, pace);
  if (before <= target || strategy === 'off') {
    const sent = messages.map(asSent);
    return { messages: sent, events: entries, nodes: [], tokens: { before, after: before, target }, calls };
  }

  const asked = options.keepRecent !== undefined;
  const share = strategy === 'trim' ? 1 : asked ? ASKED_WINDOW_SHARE : WINDOW_SHARE;
  const room = Math.floor(Math.min(target * share, target - 2 * LEAST_NARRATIVE));
  const keep = strategy === 'trim' ? messages.length : (options.keepRecent ?? DEFAULT_KEEP);
  const window = transcriptWindow(messages, tokens, keep, room);
  const ranges = coveredRanges(window.head, window.newestUser, window.start).filter((range) => {
    return sumOf(tokens, range.from, range.to) >= LEAST_TOKENS;
  });
  const isSent = (at: number): boolean => !ranges.some(({ from, to }) => from <= at && at <= to);
  const settings: RunSettings = {
    ...DEFAULT_RUN_SETTINGS,
    prompt: summaryPrompt('developer'),
    frontierTokens: target,
    ...options.settings,
  };
  const literal = tokens.reduce((sum, one, at) => (isSent(at) ? sum + one : sum), 0);
  const left = target - literal - ranges.length * MESSAGE_FRAMING_TOKENS;
  const least = literal + ranges.length * LEAST_NARRATIVE;
  if (least > target) throw new TargetTooSmall(least, target, entries);
  const ledgerRoom = Math.min(
    Math.floor(target * (options.ledgerShare ?? DEFAULT_LEDGER_SHARE)),
    left - ranges.length * LEAST_NARRATIVE,
  );
  const fit = (all: readonly TranscriptEvent[], room: number): Promise<FittedLedger> => {
    const current =
      strategy === 'summarize' ? [] : all.filter((entry) => !isSent(entry.message) && entry.status === 'active');
    return fitEvents(current, messages, room, counter, pace);
  };
  // What a model names is known only when all else has been given out: its room is kept free.
  const forNamed = tools.model
    ? Math.max(0, Math.min(Math.floor(target * NAMED_SHARE), Math.floor(ledgerRoom * MOST_NAMED_SHARE)))
    : 0;
  let ledger = await fit(entries, ledgerRoom - forNamed);
  let quotes = ledgerText(ledger, messages);
  /** Tokens of a part that stands before others; none for what is not there. */
  const tokensOf = async (text: string): Promise<number> =>
    text === '' ? 0 : (await counter.textResting(text, pace)) + 1;
  const ledgerTokens = (await tokensOf(forNamed > 0 ? quotes || renderLedger(['']) : quotes)) + forNamed;
  const heard = entries.filter((entry) => !isSent(entry.message)).map(asKeyEvent);
  const wanted = spansByMessage(heard.filter(({ status }) => status !== 'superseded'));
  // What was replaced is told no more: behind the ledger, which comes first, it would stand as the later word.
  const replaced = spansByMessage(heard.filter(({ status }) => status === 'superseded'));
  const narrative: NarrativeInput = {
    messages,
    tokens,
    ranges,
    corpus: withoutSpans(await buildCorpus(messages, pace, wanted), replaced),
    kept: spansByMessage(ledger.kept),
    wanted,
    strategy,
    settings,
    frame: CONTEXT_FRAME,
    budgetTokens: left - ledgerTokens,
  };
  const untold = ranges.some(({ from, to }) => hasMoreThan(narrative.corpus, narrative.kept, from, to));
  const told = await narrate(narrative, untold ? { ...tools, calls } : withoutModel({ ...tools, calls }), pace);
  if (told.named.length > 0) {
    const all = await entriesOf(withNamed(found, told.named), pace);
    const kept = new Set(ledger.kept.map(({ id }) => id));
    const known = new Set(entries.map(({ id }) => id));
    const candidates = all.filter(({ id }) => kept.has(id) || !known.has(id));
    const larger = await fit(candidates, ledger.tokens + forNamed);
    const text = ledgerText(larger, messages);
    if ((await tokensOf(text)) <= ledgerTokens) {
      entries = all;
      ledger = larger;
      quotes = text;
    }
  }
  const sent = assembleSent(messages, isSent, window.newestUser, quotes, told);
  let after = 0;
  for (const { role, content } of sent) after += (await counter.whole({ role, content: blocks(content) }, pace)).body;
  const quoted = new Set(ledger.kept.map(({ id }) => id));
  const context = sent.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
  const events: TranscriptEvent[] = [];
  for (const entry of entries) {
    const isIn = entry.status !== 'active' || isSent(entry.message) || quoted.has(entry.id);
    if (!isIn) await pace.spent(context.length / SEARCHED_PER_CUT);
    events.push(isIn || context.includes(entry.quote) ? entry : { ...entry, status: 'dropped' });
  }
  return {
    messages: sent,
    events,
    nodes: told.nodes,
    tokens: { before, after, target },
    calls,
    ...(told.fault !== undefined && { fault: told.fault }),
  };
}

/** Whether something was said in `messages[from, to]` beyond the spans that are kept word for word. */
function hasMoreThan(corpus: Corpus, kept: ReadonlyMap<number, readonly Span[]>, from: number, to: number): boolean {
  for (let index = corpus.firstOf[from]!; index < corpus.firstOf[to + 1]!; index++) {
    const passage = corpus.passages[index]!;
    const spans = kept.get(passage.message) ?? [];
    if (!spans.some((span) => span.start <= passage.start && passage.end <= span.end)) return true;
  }
  return false;
}

const sumOf = (tokens: readonly number[], from: number, to: number): number =>
  tokens.slice(from, to + 1).reduce((sum, one) => sum + one, 0);
