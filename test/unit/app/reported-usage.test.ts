import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { Calibration, type StoredCalibration } from '../../../src/core/tokens/calibration.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { WireServer } from '../../support/wire-server.ts';
import { Desk } from './desk.ts';

const ENGLISH =
  'Please look at src/upload/handler.ts once more: the retries wait 300 ms, and after five of them the queue is empty.';
const GERMAN =
  'Bitte sieh dir src/upload/handler.ts noch einmal an: Die Wiederholungsversuche warten 300 ms, und nach fünf davon ist die Warteschlange leer.';
const CHINESE = '请再看一下上传处理程序：每次重试等待三百毫秒，五次之后队列就空了。我们不要丢掉任何一条消息。';

/** How a server counts the texts of a request. */
type Count = (texts: readonly string[]) => number;

/** What the model's own tokenizer would say, by servers that count otherwise than we do. */
async function servers(): Promise<Readonly<Record<string, { readonly count: Count; readonly said: string }>>> {
  const [ours, other] = await Promise.all([loadEncoding('o200k_base'), loadEncoding('cl100k_base')]);
  const sum = (texts: readonly string[], one: (text: string) => number): number =>
    texts.reduce((all, text) => all + one(text) + 4, 3);
  return {
    'another encoding': { count: (texts) => sum(texts, (text) => other.text(text)), said: GERMAN },
    'a fifth more for everything': {
      count: (texts) => Math.ceil(1.2 * sum(texts, (text) => ours.text(text))),
      said: ENGLISH,
    },
    'another encoding, in Chinese': { count: (texts) => sum(texts, (text) => other.text(text)), said: CHINESE },
  };
}

const textsOf = (body: Readonly<Record<string, unknown>>): string[] => {
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
};

describe('the gauge, beside what a server reports over HTTP', () => {
  let server: WireServer;
  let desk: Desk;

  before(async () => {
    server = await WireServer.start();
  });
  beforeEach(async () => {
    desk = await Desk.open();
  });
  afterEach(async () => {
    await desk.close();
    server.reset();
  });
  after(() => server.stop());

  for (const name of ['another encoding', 'a fifth more for everything', 'another encoding, in Chinese']) {
    it(`is within 5 % after five turns, and stays so after a reload: ${name}`, async () => {
      const { count, said } = (await servers())[name]!;
      // The reply's usage is worked out from the very bytes of the request that it answers.
      server.mock.on({}, () => ({
        content: `${said} Done.`,
        usage: { prompt_tokens: count(textsOf(server.lastRequest!.body)), completion_tokens: 20 },
      }));
      const model = createOpenAiModel({
        apiKey: 'none',
        baseUrl: server.url,
        model: 'llama3',
        provider: 'compatible',
        timeoutMs: 20_000,
      });
      let conversation: Conversation;
      const errors: number[] = [];
      desk.script = async function* (request, signal) {
        const shown = Math.round(conversation.context().total * conversation.meter.tokenFactor);
        for await (const chunk of model.stream(request, signal)) {
          if (chunk.type === 'usage') errors.push(Math.abs(shown / chunk.usage.input - 1));
          yield chunk;
        }
      };
      desk.calibration = new Calibration(1);
      conversation = await desk.converse();
      for (let turn = 0; turn < 8; turn++) await conversation.send(`${said} (${turn}) `.repeat(1 + (turn % 3)));
      assert.equal(conversation.meter.isApproximate, false);

      // What is kept over a reload is what was written down, nothing that lives in memory.
      const stored = JSON.parse(JSON.stringify(desk.calibration.export())) as StoredCalibration;
      desk.calibration = new Calibration(1, stored);
      conversation = await desk.restart(conversation);
      assert.equal(conversation.meter.isApproximate, false);
      for (let turn = 8; turn < 11; turn++) await conversation.send(`${said} (${turn})`);

      assert.equal(errors.length, 11);
      assert.ok(errors[0]! > Math.max(...errors.slice(5)), `${errors[0]}: there was nothing to learn`);
      for (const error of errors.slice(5)) assert.ok(error < 0.05, errors.map((one) => one.toFixed(3)).join(' '));
    });
  }
});
