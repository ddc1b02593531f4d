import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { PrefixMeter } from '../prefix-meter.ts';
import type { Turn } from '../turn-feed.ts';

/** The tokens that a simpler system would have sent to its summarizer, computed without calling a model. */
export interface Simulated {
  readonly input: number;
  readonly output: number;
  readonly prefix: PrefixMeter;
  readonly at: readonly { readonly messages: number; readonly input: number }[];
}

/** Number of recent messages, which stay verbatim. */
const RECENT_MESSAGES = 30;
/** Number of messages after which everything is summarized again. */
const RESUMMARIZE_EVERY = 40;
/** Tokens of a summary, and of the prompt that requests one. */
const SUMMARY_TOKENS = 900;
const PROMPT_TOKENS = 150;
const SYSTEM = 'You help with code.';

/** Keeps the newest messages, and folds older ones into a summary with one call per turn. */
export function rolled(turns: readonly Turn[], counter: TokenCounter): Simulated {
  return simulate(turns, counter, (fallen, call) => {
    if (fallen.length === 0) return undefined;
    const old = call === 0 ? 0 : SUMMARY_TOKENS;
    return PROMPT_TOKENS + old + sum(fallen, counter);
  });
}

/** Keeps the recent messages like `rolled`, but summarizes everything before them again after every 40 messages. */
export function resummarized(turns: readonly Turn[], counter: TokenCounter): Simulated {
  let all = 0;
  let since = 0;
  return simulate(turns, counter, (fallen) => {
    all += sum(fallen, counter);
    since += fallen.length;
    if (since < RESUMMARIZE_EVERY) return undefined;
    since = 0;
    return PROMPT_TOKENS + all;
  });
}

function simulate(
  turns: readonly Turn[],
  counter: TokenCounter,
  call: (fallen: readonly string[], calls: number) => number | undefined,
): Simulated {
  const prefix = new PrefixMeter(counter);
  const at: { messages: number; input: number }[] = [];
  const recent: string[] = [];
  let messages = 0;
  let input = 0;
  let calls = 0;
  let summary = '';
  for (const { ask, rest } of turns) {
    const fallen = recent.splice(0, Math.max(0, recent.length - RECENT_MESSAGES));
    const tokens = call(fallen, calls);
    if (tokens !== undefined) {
      input += tokens;
      calls++;
      summary = `Summary ${calls}: ${'what was said and done before. '.repeat(SUMMARY_TOKENS / 7)}`;
    }
    recent.push(ask);
    prefix.add([SYSTEM, ...(summary === '' ? [] : [summary]), ...recent]);
    recent.push(...rest.map(({ text }) => text));
    messages += 1 + rest.length;
    at.push({ messages, input });
  }
  return { input, output: calls * SUMMARY_TOKENS, prefix, at };
}

const sum = (texts: readonly string[], counter: TokenCounter): number =>
  texts.reduce((all, text) => all + counter.text(text) + 4, 0);
