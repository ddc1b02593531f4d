import type { Usage } from '../../../src/core/model/message.ts';
import { resolvePolicy, type Policy } from '../../../src/core/policy/policy.ts';
import { modelInfo, priceOf } from '../../../src/core/tokens/model-info.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { readTranscriptFile } from '../../../src/cli/transcript-file.ts';
import { Harness } from '../../unit/app/harness.ts';
import { tokensOf } from '../compress-at-once.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { metered } from '../models/metered.ts';
import { oracle } from '../models/oracle.ts';
import { blocksOf, PrefixMeter } from '../prefix-meter.ts';
import { sharedFile } from '../data/real-transcripts.ts';
import { figure, type Figure, type Measured, type Plot } from '../report/figure.ts';
import { playTurn, turnsOf, type Turn } from '../turn-feed.ts';
import { resummarized, rolled, type Simulated } from './cost-baselines.ts';

/** The summarizer's price in US dollars per million tokens, input and output. */
const PRICE = { input: 0.15, output: 0.6 };
const CHAT_MODELS = ['gpt-4o-mini', 'claude-haiku-4-5'] as const;
/** Turns of every run, so that short runs are comparable to long ones. */
const COMPARED_TURNS = 250;
/**
 * The cost of summaries in US dollars, for 1,000 developer messages by effort, and for 1,000 messages of an ordinary
 * chat.
 */
const LIMITS = { default: 0.03, economy: 0.01, chat: 0.01 } as const;
const dollars = (input: number, output: number): number => (input * PRICE.input + output * PRICE.output) / 1e6;

/** Runs a session turn by turn: tokens for summaries, cacheable share of the input, cost. */
export async function measureCost(context: BenchContext): Promise<Measured> {
  const { quick, counter, print } = context;
  const turns = turnsOf(chat(context)).slice(0, quick ? 250 : 1_000);
  print(`cost: ${turns.length} turns`);
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
    figure(`cost.${name}.messages`, `messages in ${turns.length} turns`, messages, 'count'),
    figure(`cost.${name}.conversation`, 'tokens of the conversation', tokens, 'tokens'),
    figure(`cost.${name}.in`, 'tokens to the summarizer for 1,000 messages', perThousand(ours.input), 'tokens', {
      guard,
    }),
    figure(`cost.${name}.out`, 'tokens from the summarizer for 1,000 messages', perThousand(ours.output), 'tokens', {
      guard,
    }),
    figure(
      `cost.${name}.usd`,
      'money for summaries of 1,000 messages at 0.15 / 0.60 $',
      perThousand(dollars(ours.input, ours.output)),
      '$',
      { target: { atMost: LIMITS.default }, guard },
    ),
    figure(
      `cost.${name}.growth`,
      'tokens to the summarizer for each of the conversation, second half against first',
      secondHalf / firstHalf,
      '×',
      { target: { atMost: 1.2 } },
    ),
    figure(
      `cost.${name}.rolling.in`,
      'rolling summary: tokens to the summarizer for 1,000 messages',
      perThousand(rolling.input),
      'tokens',
    ),
    figure(
      `cost.${name}.rolling.usd`,
      'rolling summary: the same in money',
      perThousand(dollars(rolling.input, rolling.output)),
      '$',
    ),
    figure(
      `cost.${name}.again.in`,
      'summarize everything again: tokens for 1,000 messages',
      perThousand(again.input),
      'tokens',
    ),
    figure(
      `cost.${name}.again.usd`,
      'summarize everything again: the same in money',
      perThousand(dollars(again.input, again.output)),
      '$',
    ),
    figure(
      `cost.${name}.cacheable`,
      'input that lies in the unchanged start of the request before',
      ours.prefix.share,
      'share',
      { target: { atLeast: 0.9 }, guard: { worse: 'lower', margin: 0.02 } },
    ),
    figure(`cost.${name}.cacheableMean`, 'the same as the mean of all requests', ours.prefix.meanShare, 'share', {
      target: { atLeast: 0.97 },
    }),
    figure(`cost.${name}.rolling.cacheable`, 'rolling summary: the same', rolling.prefix.share, 'share'),
    figure(`cost.${name}.request`, 'tokens of a request, mean', ours.prefix.input / turns.length, 'tokens'),
    figure(`cost.${name}.rolling.request`, 'rolling summary: the same', rolling.prefix.input / turns.length, 'tokens'),
    ...CHAT_MODELS.flatMap((model) => [
      figure(`cost.${name}.chat.${model}`, `money for all requests to ${model}`, chatMoney(ours.prefix, model), '$'),
      figure(`cost.${name}.rolling.chat.${model}`, `rolling summary: the same`, chatMoney(rolling.prefix, model), '$'),
    ]),
  ];
  const early = ours.at[COMPARED_TURNS - 1];
  if (early)
    figures.push(
      figure(
        `cost.turns${COMPARED_TURNS}.summarizer`,
        `tokens to the summarizer in the first ${COMPARED_TURNS} turns`,
        early.input,
        'tokens',
        { guard },
      ),
    );
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
    const model = metered('oracle', counter, oracle({ counter }));
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

/** The cost of all requests with the best use of the provider's cache. Excludes replies, which are the same for all. */
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

/** The cost of summaries for each developer session except the long chat. */
async function eachSession(context: BenchContext, effort: 'default' | 'economy'): Promise<Figure[]> {
  const { summary, ...balanced } = resolvePolicy('balanced');
  const policy = { ...balanced, summary: { ...summary, effort } };
  let most = 0;
  let messages = 0;
  let input = 0;
  let output = 0;
  const sessions = context.sessions
    .filter(({ isDeveloper, name }) => isDeveloper && !name.startsWith('aider'))
    .slice(0, context.quick ? 3 : undefined);
  if (sessions.length === 0) return [];
  for (const session of sessions) {
    context.print(`cost of ${session.name}`);
    const played = await play(turnsOf(session.messages), context, policy);
    messages += played.messages;
    input += played.input;
    output += played.output;
    most = Math.max(most, (dollars(played.input, played.output) / played.messages) * 1_000);
  }
  const of = `${sessions.length} agents' sessions, effort ${effort}`;
  const id = `cost.agents${sessions.length}.${effort}`;
  return [
    figure(
      `${id}.usd`,
      `money for summaries of 1,000 messages, ${of}`,
      (dollars(input, output) / messages) * 1_000,
      '$',
      { target: { atMost: LIMITS[effort] }, guard: { worse: 'higher', margin: 0.15 } },
    ),
    figure(`${id}.usdMost`, 'the same, dearest session', most, '$', { target: { atMost: LIMITS[effort] } }),
  ];
}

/** An ordinary chat of short messages, which is compressed often: bookings with `frugal`. */
async function shortMessages(context: BenchContext): Promise<Figure[]> {
  const file = sharedFile('short/bookings-1000.jsonl');
  if (file === undefined) return [];
  const transcript = await readTranscriptFile(file);
  const { input, output, messages } = await play(turnsOf(transcript), context, resolvePolicy('frugal'));
  return [
    figure(
      'cost.bookings.usd',
      `money for summaries of 1,000 messages, ${messages} of bookings under frugal`,
      (dollars(input, output) / messages) * 1_000,
      '$',
      { target: { atMost: LIMITS.chat }, guard: { worse: 'higher', margin: 0.15 } },
    ),
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
