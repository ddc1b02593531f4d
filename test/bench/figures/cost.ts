import type { Usage } from '../../../src/core/model/message.ts';
import { resolvePolicy, type Policy } from '../../../src/core/policy/policy.ts';
import { modelInfo, priceOf } from '../../../src/core/tokens/models.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { readTranscriptFile } from '../../../src/cli/transcript-file.ts';
import { Harness } from '../../unit/app/harness.ts';
import { tokensOf } from '../compress-at-once.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { metered } from '../models/metered.ts';
import { oracle } from '../models/oracle.ts';
import { blocksOf, PrefixMeter } from '../prefix-meter.ts';
import { sharedFile } from '../data/shared.ts';
import type { Figure, Measured, Plot } from '../report/figure.ts';
import { playTurn, turnsOf, type Turn } from '../turn-feed.ts';
import { resummarized, rolled, type Simulated } from './cost-baselines.ts';

/** The summarizer's price in US dollars per million tokens, input and output. */
const PRICE = { input: 0.15, output: 0.6 };
const CHAT_MODELS = ['gpt-4o-mini', 'claude-haiku-4-5'] as const;
/** Turns of every run, so that short runs are comparable to long ones. */
const EARLY = 250;
/**
 * The cost of summaries in US dollars, for 1,000 developer messages by effort, and for 1,000 messages of an ordinary
 * chat.
 */
const LIMITS = { default: 0.03, economy: 0.01, chat: 0.01 } as const;
const dollars = (input: number, output: number): number => (input * PRICE.input + output * PRICE.output) / 1e6;

/** Runs a session turn by turn: tokens for summaries, cacheable share of the input, cost. */
export async function measureCost(context: BenchContext): Promise<Measured> {
  const { quick, counter, say } = context;
  const turns = turnsOf(chat(context)).slice(0, quick ? 250 : 1_000);
  say(`cost: ${turns.length} turns`);
  const ours = await play(turns, context);
  const tokens = ours.at.at(-1)?.conversation ?? 0;
  const messages = ours.messages;
  const rolling = rolled(turns, counter);
  const again = resummarized(turns, counter);
  const perThousand = (amount: number): number => (amount / messages) * 1_000;
  const half = ours.at[Math.floor(ours.at.length / 2)];
  const secondHalf = half ? (ours.input - half.input) / (tokens - half.conversation) : Number.NaN;
  const firstHalf = half ? half.input / half.conversation : Number.NaN;
  const guard = { worse: 'higher', margin: 0.15 } as const;
  const name = `turns${turns.length}`;
  const figures: Figure[] = [
    { id: `cost.${name}.messages`, label: `messages in ${turns.length} turns`, value: messages, unit: 'count' },
    { id: `cost.${name}.conversation`, label: 'tokens of the conversation', value: tokens, unit: 'tokens' },
    {
      id: `cost.${name}.in`,
      label: 'tokens to the summarizer for 1,000 messages',
      value: perThousand(ours.input),
      unit: 'tokens',
      guard,
    },
    {
      id: `cost.${name}.out`,
      label: 'tokens from the summarizer for 1,000 messages',
      value: perThousand(ours.output),
      unit: 'tokens',
      guard,
    },
    {
      id: `cost.${name}.usd`,
      label: 'money for summaries of 1,000 messages at 0.15 / 0.60 $',
      value: perThousand(dollars(ours.input, ours.output)),
      unit: '$',
      target: { atMost: LIMITS.default },
      guard,
    },
    {
      id: `cost.${name}.growth`,
      label: 'tokens to the summarizer for each of the conversation, second half against first',
      value: secondHalf / firstHalf,
      unit: '×',
      target: { atMost: 1.2 },
    },
    {
      id: `cost.${name}.rolling.in`,
      label: 'rolling summary: tokens to the summarizer for 1,000 messages',
      value: perThousand(rolling.input),
      unit: 'tokens',
    },
    {
      id: `cost.${name}.rolling.usd`,
      label: 'rolling summary: the same in money',
      value: perThousand(dollars(rolling.input, rolling.output)),
      unit: '$',
    },
    {
      id: `cost.${name}.again.in`,
      label: 'summarize everything again: tokens for 1,000 messages',
      value: perThousand(again.input),
      unit: 'tokens',
    },
    {
      id: `cost.${name}.again.usd`,
      label: 'summarize everything again: the same in money',
      value: perThousand(dollars(again.input, again.output)),
      unit: '$',
    },
    {
      id: `cost.${name}.cacheable`,
      label: 'input that lies in the unchanged start of the request before',
      value: ours.prefix.share,
      unit: 'share',
      target: { atLeast: 0.9 },
      guard: { worse: 'lower', margin: 0.02 },
    },
    {
      id: `cost.${name}.cacheableMean`,
      label: 'the same as the mean of all requests',
      value: ours.prefix.meanShare,
      unit: 'share',
      target: { atLeast: 0.97 },
    },
    {
      id: `cost.${name}.rolling.cacheable`,
      label: 'rolling summary: the same',
      value: rolling.prefix.share,
      unit: 'share',
    },
    {
      id: `cost.${name}.request`,
      label: 'tokens of a request, mean',
      value: ours.prefix.input / turns.length,
      unit: 'tokens',
    },
    {
      id: `cost.${name}.rolling.request`,
      label: 'rolling summary: the same',
      value: rolling.prefix.input / turns.length,
      unit: 'tokens',
    },
    ...CHAT_MODELS.flatMap((model) => [
      {
        id: `cost.${name}.chat.${model}`,
        label: `money for all requests to ${model}`,
        value: chatMoney(ours.prefix, model),
        unit: '$',
      } as const,
      {
        id: `cost.${name}.rolling.chat.${model}`,
        label: `rolling summary: the same`,
        value: chatMoney(rolling.prefix, model),
        unit: '$',
      } as const,
    ]),
  ];
  const early = ours.at[EARLY - 1];
  if (early)
    figures.push({
      id: `cost.turns${EARLY}.summarizer`,
      label: `tokens to the summarizer in the first ${EARLY} turns`,
      value: early.input,
      unit: 'tokens',
      guard,
    });
  figures.push(...(await eachSession(context, 'default')), ...(await eachSession(context, 'economy')));
  figures.push(...(await shortMessages(context)));
  return {
    figures,
    plots: [plotOf(ours, rolling, again)],
    notes: [`Cost: ${source(context)}; replies are the transcript's own and are not counted as money.`],
  };
}

/** The long chat, in which people speak in every turn, or a synthetic one if it's absent. */
function chat(context: BenchContext): readonly TranscriptMessage[] {
  const found = context.sessions.find(({ name }) => name.startsWith('aider'));
  return found?.messages ?? developerMessages(context, 3_500);
}

const source = ({ sessions }: BenchContext): string =>
  sessions.length > 0 ? 'a real chat of one developer' : 'a synthetic session, since the shared transcripts are absent';

interface Played {
  readonly input: number;
  readonly output: number;
  readonly messages: number;
  readonly prefix: PrefixMeter;
  /** Totals after each turn. */
  readonly at: readonly { readonly messages: number; readonly conversation: number; readonly input: number }[];
}

async function play(turns: readonly Turn[], { counter }: BenchContext, policy?: Policy): Promise<Played> {
  const harness = await Harness.open();
  if (policy) harness.settings = { ...harness.settings, policy };
  try {
    const model = metered('oracle', counter, oracle({ counter }), () => new Error('unused'));
    harness.summarizer = (request, signal) => model.model.stream(request, signal);
    const conversation = await harness.converse();
    const prefix = new PrefixMeter(counter);
    const at: Played['at'][number][] = [];
    let tokens = 0;
    for (const turn of turns) {
      await playTurn(harness, conversation, turn);
      for (const request of harness.requests.splice(0)) prefix.add(blocksOf(request));
      tokens += counter.text(turn.ask) + 4 + tokensOf(turn.rest, counter);
      at.push({ messages: conversation.state.path.length, conversation: tokens, input: model.spent.input });
    }
    const messages = conversation.state.path.length;
    await conversation.close();
    return { input: model.spent.input, output: model.spent.output, messages, prefix, at };
  } finally {
    await harness.close();
  }
}

/** The cost of all requests with the best use of the provider's cache. Replies are the same for every system. */
function chatMoney({ input, cached }: PrefixMeter, id: (typeof CHAT_MODELS)[number]): number {
  const info = modelInfo(id);
  const usage: Usage = {
    input,
    output: 0,
    cachedInput: cached,
    ...(info.vendor === 'anthropic' && { cacheWrite: input - cached }),
  };
  return priceOf(usage, info) ?? Number.NaN;
}

/** The same for each developer session on its own: heavy agent sessions and light chats. */
async function eachSession(context: BenchContext, effort: 'default' | 'economy'): Promise<Figure[]> {
  const { summary, ...balanced } = resolvePolicy('balanced');
  const policy = { ...balanced, summary: { ...summary, effort } };
  let most = 0;
  let messages = 0;
  let input = 0;
  let output = 0;
  const sessions = context.sessions
    .filter(({ developer, name }) => developer && !name.startsWith('aider'))
    .slice(0, context.quick ? 3 : undefined);
  if (sessions.length === 0) return [];
  for (const session of sessions) {
    context.say(`cost of ${session.name}`);
    const played = await play(turnsOf(session.messages), context, policy);
    messages += played.messages;
    input += played.input;
    output += played.output;
    most = Math.max(most, (dollars(played.input, played.output) / played.messages) * 1_000);
  }
  const of = `${sessions.length} agents' sessions, effort ${effort}`;
  const id = `cost.agents${sessions.length}.${effort}`;
  return [
    {
      id: `${id}.usd`,
      label: `money for summaries of 1,000 messages, ${of}`,
      value: (dollars(input, output) / messages) * 1_000,
      unit: '$',
      target: { atMost: LIMITS[effort] },
      guard: { worse: 'higher', margin: 0.15 },
    },
    {
      id: `${id}.usdMost`,
      label: 'the same, dearest session',
      value: most,
      unit: '$',
      target: { atMost: LIMITS[effort] },
    },
  ];
}

/** An ordinary chat of short messages, which is compressed often: bookings with `frugal`. */
async function shortMessages(context: BenchContext): Promise<Figure[]> {
  const file = sharedFile('short/bookings-1000.jsonl');
  if (file === undefined) return [];
  const transcript = await readTranscriptFile(file);
  const { input, output, messages } = await play(turnsOf(transcript), context, resolvePolicy('frugal'));
  return [
    {
      id: 'cost.bookings.usd',
      label: `money for summaries of 1,000 messages, ${messages} of bookings under frugal`,
      value: (dollars(input, output) / messages) * 1_000,
      unit: '$',
      target: { atMost: LIMITS.chat },
      guard: { worse: 'higher', margin: 0.15 },
    },
  ];
}

function plotOf(ours: Played, rolling: Simulated, again: Simulated): Plot {
  const every = Math.max(1, Math.floor(ours.at.length / 20));
  const thin = <T>(all: readonly T[]): T[] => all.filter((_, at) => at % every === every - 1);
  const points = (of: Simulated): [number, number][] => thin(of.at).map(({ messages, input }) => [messages, input]);
  return {
    id: 'cost.summarizer',
    title: 'Tokens sent to the summarizer',
    x: 'messages',
    y: 'tokens, in all',
    series: [
      { name: 'Threadkeeper', points: thin(ours.at).map(({ messages, input }) => [messages, input]) },
      { name: 'rolling summary', points: points(rolling) },
      { name: 'everything again', points: points(again) },
    ],
  };
}
