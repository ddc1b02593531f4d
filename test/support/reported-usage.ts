import type { Conversation } from '../../src/app/conversation.ts';
import { Calibration, type StoredCalibration } from '../../src/core/tokens/calibration.ts';
import { loadEncoding } from '../../src/core/tokens/token-counter.ts';
import { createOpenAiModel } from '../../src/providers/openai.ts';
import { Harness } from '../unit/app/harness.ts';
import type { WireServer } from './wire-server.ts';

const ENGLISH =
  'Please look at src/upload/handler.ts once more: the retries wait 300 ms, and after five of them the queue is empty.';
const GERMAN =
  'Bitte sieh dir src/upload/handler.ts noch einmal an: Die Wiederholungsversuche warten 300 ms, und nach fünf davon ist die Warteschlange leer.';
const CHINESE = '请再看一下上传处理程序：每次重试等待三百毫秒，五次之后队列就空了。我们不要丢掉任何一条消息。';

/** A server that counts tokens differently, and the text of the messages sent to it. */
export interface OtherCount {
  readonly name: string;
  readonly encoding: 'o200k_base' | 'cl100k_base';
  /** Number of tokens that it reports per token of `encoding`, as if it added a hidden prompt to each request. */
  readonly factor: number;
  readonly said: string;
}

export const OTHER_COUNTS: readonly OtherCount[] = [
  { name: 'another encoding', encoding: 'cl100k_base', factor: 1, said: GERMAN },
  { name: 'a fifth more for everything', encoding: 'o200k_base', factor: 1.2, said: ENGLISH },
  { name: 'another encoding, in Chinese', encoding: 'cl100k_base', factor: 1, said: CHINESE },
];

/** Turns before and after the window is reloaded. */
export const TURNS = { before: 8, after: 3 };

export interface GaugeErrors {
  /** The gauge's error in each turn, as a share of the usage that the server then reported. */
  readonly errors: readonly number[];
  /** Whether the gauge was approximate after the turns before the reload, and right after it. */
  readonly approximate: { readonly before: boolean; readonly after: boolean };
}

/** Compares a session's gauge with a server that counts differently, over HTTP, including a reload. */
export async function gaugeErrors(server: WireServer, { encoding, factor, said }: OtherCount): Promise<GaugeErrors> {
  const counter = await loadEncoding(encoding);
  const count = (texts: readonly string[]): number =>
    Math.ceil(factor * texts.reduce((all, text) => all + counter.text(text) + 4, 3));
  // The reply's usage is computed from the exact bytes of its request.
  server.mock.on({}, () => ({
    content: `${said} Done.`,
    usage: { prompt_tokens: count(textsOf(server.lastRequest!.body)), completion_tokens: 20 },
  }));
  const model = createOpenAiModel({
    apiKey: 'none',
    baseUrl: server.url,
    model: 'llama3',
    provider: 'compatible',
    firstTokenMs: 20_000,
    silenceMs: 20_000,
  });
  const harness = await Harness.open();
  try {
    let conversation: Conversation;
    const errors: number[] = [];
    harness.script = async function* (request, signal) {
      const shown = conversation.meter.providerTokens(conversation.context().total);
      for await (const chunk of model.stream(request, signal)) {
        if (chunk.type === 'usage') errors.push(Math.abs(shown / chunk.usage.input - 1));
        yield chunk;
      }
    };
    harness.calibration = new Calibration(1);
    conversation = await harness.converse();
    for (let turn = 0; turn < TURNS.before; turn++)
      await conversation.send(`${said} (${turn}) `.repeat(1 + (turn % 3)));
    const before = conversation.meter.isApproximate;
    // Only stored data survives a reload.
    const stored = JSON.parse(JSON.stringify(harness.calibration.export())) as StoredCalibration;
    harness.calibration = new Calibration(1, stored);
    conversation = await harness.restart(conversation);
    const after = conversation.meter.isApproximate;
    for (let turn = 0; turn < TURNS.after; turn++) await conversation.send(`${said} (${TURNS.before + turn})`);
    return { errors, approximate: { before, after } };
  } finally {
    await harness.close();
    server.reset();
  }
}

function textsOf(body: Readonly<Record<string, unknown>>): string[] {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        if ((key === 'content' || key === 'text') && typeof one === 'string') texts.push(one);
        else visit(one);
      }
    }
  };
  visit(body['messages']);
  return texts;
}
