import { readTranscriptFile } from '../../../src/cli/transcript-file.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { Harness } from '../../unit/app/harness.ts';
import { appendMessages } from '../append-messages.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { sharedFile } from '../data/real-transcripts.ts';
import { oracle } from '../models/oracle.ts';
import { StreamingServer, type Pace } from '../models/streaming-server.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

interface Paced {
  readonly label: string;
  readonly pace: Pace;
  /** Concurrent calls. */
  readonly atOnce: number;
}

const REALISTIC = { firstTokenMs: 300, tokensPerSecond: 100 };
const REALISTIC_LABEL = 'a model of 300 ms to its first token and 100 tokens/s';

const PACES: Readonly<Record<string, Paced>> = {
  instant: {
    label: 'a model that answers at once',
    pace: { firstTokenMs: 0, tokensPerSecond: Number.POSITIVE_INFINITY },
    atOnce: 3,
  },
  realistic: { label: `${REALISTIC_LABEL}, as a server of one's own is asked`, pace: REALISTIC, atOnce: 3 },
  openai: {
    label: `${REALISTIC_LABEL}, as OpenAI's and Anthropic's own addresses are asked`,
    pace: REALISTIC,
    atOnce: 24,
  },
};

/** Compression by a model over HTTP on loopback. Measured by the clock, because most of the time is spent waiting. */
export async function measureModels(context: BenchContext): Promise<Measured> {
  const figures: Figure[] = [];
  const bookings = sharedFile('short/bookings-1000.jsonl');
  if (bookings !== undefined) {
    const messages = await readTranscriptFile(bookings);
    figures.push(...(await compress(messages, 'bookings', PACES.openai!, context, MAX_CHAT_SECONDS)));
  }
  for (const count of context.quick ? [1_000] : [1_000, 10_000]) {
    const messages = developerMessages(context, count);
    for (const [name, paced] of Object.entries(PACES))
      figures.push(...(await compress(messages, name, paced, context)));
  }
  return { figures };
}

/** Seconds for 1,000 messages of an ordinary chat. */
const MAX_CHAT_SECONDS = 5;

async function compress(
  messages: readonly TranscriptMessage[],
  name: string,
  { label, pace, atOnce }: Paced,
  context: BenchContext,
  target?: number,
): Promise<Figure[]> {
  const { counter, print } = context;
  const thousands = messages.length.toLocaleString('en-US');
  print(`compressing ${thousands} messages by ${label}`);
  const server = await StreamingServer.start(pace, oracle({ counter }), counter);
  const harness = await Harness.open();
  try {
    const model = createOpenAiModel({
      apiKey: 'bench',
      baseUrl: server.url,
      model: 'gpt-4o-mini',
      provider: 'compatible',
      firstTokenMs: 60_000,
      silenceMs: 60_000,
    });
    harness.summarizerAtOnce = atOnce;
    harness.summarizer = (request, signal) => model.stream(request, signal);
    const conversation = await harness.converse();
    await appendMessages(conversation, messages);
    await conversation.meter.countNew();
    const started = performance.now();
    const { kind } = await conversation.compressNow();
    const seconds = (performance.now() - started) / 1_000;
    if (kind !== 'committed') print(`the compression came to ${kind}`);
    await conversation.close();
    const id = `speed.model.${name}${messages.length}`;
    const { spent } = server;
    return [
      figure(
        `${id}.seconds`,
        `${thousands} ${name === 'bookings' ? 'short messages of bookings' : 'messages'} compressed by ${label}, by the clock`,
        seconds,
        's',
        target === undefined ? {} : { target: { atMost: target } },
      ),
      figure(`${id}.calls`, 'the same: calls', spent.calls, 'count'),
      figure(`${id}.atOnce`, 'the same: most calls at once', spent.mostAtOnce, 'count'),
      figure(`${id}.input`, 'the same: tokens to the model', spent.input, 'tokens'),
      figure(`${id}.output`, 'the same: tokens from the model', spent.output, 'tokens'),
    ];
  } finally {
    await harness.close();
    await server.stop();
  }
}
