import { messageText } from '../../../src/core/model/message.ts';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { BpeCounter } from '../../../src/core/tokens/bpe.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { Desk } from '../../unit/app/desk.ts';
import { tokensOf } from '../compress-at-once.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { factsIn, plantFacts } from '../data/facts.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { metered, type Answer } from '../models/metered.ts';
import { oracle } from '../models/oracle.ts';
import { installPeers, loadLangChain, loadTokenizer } from '../peers/load.ts';
import { summarizedByMiddleware, trimmed, type Kept } from '../peers/memories.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';
import { playTurn, turnsOf } from '../turn-feed.ts';

const FACTS = 50;
const SHARE = 0.2;

/** The same session, facts, budget and oracle for other libraries and for this product. */
export async function measurePeers(context: BenchContext): Promise<Measured> {
  const { counter, say } = context;
  await installPeers(say);
  const figures = await counting(context);
  const peers = await loadLangChain();
  const { transcript, facts } = plantFacts(syntheticSession(1_000), FACTS);
  const conversation = tokensOf(transcript, counter);
  const budget = Math.floor(conversation * SHARE);
  const answer = (): Answer => oracle({ counter, facts });
  const systems: Readonly<Record<string, { readonly label: string; readonly keep: () => Promise<Kept> }>> = {
    threadkeeper: { label: 'Threadkeeper', keep: () => ours(transcript, budget, answer(), context) },
    trimMessages: { label: 'LangChain trimMessages', keep: () => trimmed(peers, transcript, budget, counter) },
    middleware: {
      label: 'LangChain summarizationMiddleware, defaults',
      keep: () => summarizedByMiddleware(peers, transcript, { trigger: { tokens: budget } }, answer(), counter),
    },
    middlewareBest: {
      label: 'the same, half of the budget kept, all summarized',
      keep: () =>
        summarizedByMiddleware(
          peers,
          transcript,
          { trigger: { tokens: budget }, keep: { tokens: Math.floor(budget / 2) }, trimTokensToSummarize: 100_000 },
          answer(),
          counter,
        ),
    },
  };
  for (const [id, { label, keep }] of Object.entries(systems)) {
    say(`peers: ${label}`);
    let kept: Kept = { text: '', input: 0 };
    const ms = await cpuMs(async () => {
      kept = await keep();
    });
    figures.push(
      {
        id: `peers.${id}.facts`,
        label: `${label}: facts kept`,
        value: factsIn(facts, kept.text).length / FACTS,
        unit: 'share',
      },
      {
        id: `peers.${id}.sent`,
        label: `${label}: tokens to the summarizer against the conversation`,
        value: kept.input / conversation,
        unit: '×',
      },
      {
        id: `peers.${id}.context`,
        label: `${label}: tokens of the context`,
        value: counter.text(kept.text),
        unit: 'tokens',
      },
      { id: `peers.${id}.cpu`, label: `${label}: CPU time of the whole session`, value: ms / 1000, unit: 's' },
    );
  }
  return { figures };
}

async function ours(
  transcript: readonly TranscriptMessage[],
  budget: number,
  answer: Answer,
  { counter }: BenchContext,
): Promise<Kept> {
  const desk = await Desk.open();
  try {
    const { model, spent } = metered('oracle', counter, answer, () => new Error('unused'));
    desk.summarizer = (request, signal) => model.stream(request, signal);
    desk.settings = { ...desk.settings, contextWindow: budget + desk.settings.reservedTokens };
    const conversation = await desk.converse();
    for (const turn of turnsOf(transcript)) {
      await playTurn(desk, conversation, turn);
      desk.requests.length = 0;
    }
    const { system, messages } = conversation.context();
    await conversation.close();
    return { text: [...system, ...messages.map((message) => messageText(message))].join('\n'), input: spent.input };
  } finally {
    await desk.close();
  }
}

/** Token counting beside gpt-tokenizer on the same texts, first with nothing read, then once more. */
async function counting(context: BenchContext): Promise<Figure[]> {
  context.say('peers: counting');
  const texts = developerMessages(context, 3_000).map(({ text }) => text);
  const size = Buffer.byteLength(texts.join('')) / 1_000_000;
  const options = { disallowedSpecial: new Set<string>() };
  let counted = 0;
  const theirCold = await cpuMs(async () => {
    const tokenizer = await loadTokenizer();
    for (const text of texts) counted += tokenizer.countTokens(text, options);
  });
  const tokenizer = await loadTokenizer();
  const theirWarm = await cpuMs(() => texts.forEach((text) => tokenizer.countTokens(text, options)));
  const counter = new BpeCounter(ranks);
  const ourCold = await cpuMs(() => texts.forEach((text) => (counted -= counter.count(text))));
  const ourWarm = await cpuMs(() => texts.forEach((text) => counter.count(text)));
  return [
    {
      id: 'peers.gptTokenizer.warm',
      label: 'gpt-tokenizer: counting, warm',
      value: (size / theirWarm) * 1000,
      unit: 'MB/s',
    },
    {
      id: 'peers.gptTokenizer.ratioWarm',
      label: 'our counting against it, warm',
      value: theirWarm / ourWarm,
      unit: '×',
      target: { atLeast: 1 },
    },
    {
      id: 'peers.gptTokenizer.ratioCold',
      label: 'the same, cold',
      value: theirCold / ourCold,
      unit: '×',
      target: { atLeast: 1 },
    },
    {
      id: 'peers.gptTokenizer.difference',
      label: 'tokens on which both differ',
      value: Math.abs(counted),
      unit: 'count',
      target: { atMost: 0 },
    },
  ];
}
