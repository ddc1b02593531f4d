import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import type { Answer } from './metered.ts';

/** The speed of a hosted model: time to the first token in ms, then tokens per second. */
export interface Pace {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}

/** Tokens per chunk of the stream. */
const PIECE = 10;

const requestSchema = v.object({
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
  max_completion_tokens: v.optional(v.number()),
  max_tokens: v.optional(v.number()),
});

const TOKENS_PER_WORD = 2;

/** The length that a prompt asks for, in tokens. The output limit is higher, because a model may think. */
function lengthIn(prompt: string): number | undefined {
  const words = /\b(\d+) words/.exec(prompt)?.[1];
  return words === undefined ? undefined : Number(words) * TOKENS_PER_WORD;
}

/** A Chat Completions server on loopback that streams at a fixed speed and counts its input. */
export class StreamingServer extends LoopbackServer {
  readonly spent = { calls: 0, input: 0, output: 0, mostAtOnce: 0 };
  #open = 0;
  readonly #pace: Pace;
  readonly #answer: Answer;
  readonly #counter: TokenCounter;

  static async start(pace: Pace, answer: Answer, counter: TokenCounter): Promise<StreamingServer> {
    const server = new StreamingServer(pace, answer, counter);
    return server.listen((request, response) => void server.#handle(request, response));
  }

  private constructor(pace: Pace, answer: Answer, counter: TokenCounter) {
    super();
    this.#pace = pace;
    this.#answer = answer;
    this.#counter = counter;
  }

  /** The base URL including `/v1`. */
  override get url(): string {
    return `${super.url}/v1`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = v.parse(requestSchema, JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const { spent } = this;
    spent.calls++;
    spent.mostAtOnce = Math.max(spent.mostAtOnce, ++this.#open);
    const textOf = (messages: typeof asked.messages): string => messages.map(({ content }) => content).join('\n');
    const prompt = textOf(asked.messages.filter(({ role }) => role === 'user'));
    const text = this.#answer(prompt, lengthIn(prompt) ?? asked.max_completion_tokens ?? asked.max_tokens ?? 1_000);
    const input = this.#counter.text(textOf(asked.messages));
    const output = this.#counter.text(text);
    spent.input += input;
    spent.output += output;
    await pause(this.#pace.firstTokenMs);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces = Math.max(1, Math.ceil(output / PIECE));
    const size = Math.ceil(text.length / pieces);
    for (let at = 0; at < text.length; at += size) {
      if (at > 0) await pause((PIECE / this.#pace.tokensPerSecond) * 1_000);
      response.write(event({ choices: [{ index: 0, delta: { content: text.slice(at, at + size) } }] }));
    }
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.write(event({ choices: [], usage: { prompt_tokens: input, completion_tokens: output } }));
    response.end('data: [DONE]\n\n');
    this.#open--;
  }
}

const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', model: 'bench', ...fields })}\n\n`;

const pause = (ms: number): Promise<unknown> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
