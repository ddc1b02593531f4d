import { request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { LLMock, type ResponseOverrides } from '@copilotkit/aimock';
import { LoopbackServer } from './loopback-server.ts';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

/** A failure of the network or the server during the next reply. `afterText` is the number of text events before it. */
export type Disturbance =
  | { readonly kind: 'refuse'; readonly status: number; readonly refusal: Refusal }
  | { readonly kind: 'reply'; readonly status: number; readonly type: string; readonly body: string }
  | { readonly kind: 'reset' }
  /** These lines come before the reply, this many times, each after a pause. */
  | { readonly kind: 'keepAlive'; readonly line: string; readonly times: number; readonly everyMs: number }
  | { readonly kind: 'silence'; readonly afterText: number }
  /** The rest of the reply is sent once `until` is settled. */
  | { readonly kind: 'hold'; readonly afterText: number; readonly until: Promise<unknown> }
  | { readonly kind: 'cut'; readonly afterText: number }
  | { readonly kind: 'end'; readonly afterText: number }
  | { readonly kind: 'garbage'; readonly afterText: number }
  | { readonly kind: 'inject'; readonly afterText: number; readonly events: string };

export interface Answer {
  readonly text: string;
  /** Time between chunks of the reply, in ms. */
  readonly dripMs?: number;
  /** Characters per chunk. */
  readonly pieceSize?: number;
  readonly usage?: ResponseOverrides['usage'];
  readonly finishReason?: string;
  readonly reasoning?: string;
}

export interface Refusal {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  /** The value of the `retry-after` header; omitted by default. */
  readonly retryAfter?: string;
}

/** Matches an event with reply text in any of the three protocols. */
const CARRIES_TEXT = /output_text\.delta|text_delta|"delta":\{[^}]*"content":"[^"]/;

/**
 * OpenAI (Responses, Chat Completions) and Anthropic (Messages) on loopback: aimock answers, behind a proxy that
 * records every request and can disturb replies like a network. OpenAI's base URL is `url` with `/v1`, Anthropic's
 * without.
 */
export class WireServer extends LoopbackServer {
  readonly mock: LLMock;
  readonly requests: WireRequest[] = [];
  readonly #disturbances: Disturbance[] = [];
  #open = 0;
  #disturb: () => Disturbance | undefined = () => undefined;

  static async start(port = 0): Promise<WireServer> {
    const mock = new LLMock({ port: 0, host: '127.0.0.1', journalMaxEntries: 100 });
    await mock.start();
    const server = new WireServer(mock);
    return server.listen((incoming, outgoing) => void server.#handle(incoming, outgoing), port);
  }

  private constructor(mock: LLMock) {
    super();
    this.mock = mock;
  }

  get open(): number {
    return this.#open;
  }

  get lastRequest(): WireRequest | undefined {
    return this.requests.at(-1);
  }

  /** Sets the reply to every message from now on. */
  answer(reply: string | Answer): this {
    const { text, dripMs, pieceSize, ...rest } = typeof reply === 'string' ? { text: reply } : reply;
    this.mock.clearFixtures();
    this.mock.on(
      {},
      { content: text, ...rest },
      { chunkSize: pieceSize ?? 8, ...(dripMs === undefined ? {} : { latency: dripMs }) },
    );
    return this;
  }

  /** Replies to each message with the result of `make` from now on. */
  answerWith(make: (question: string) => string): this {
    this.mock.clearFixtures();
    this.mock.on({}, ({ messages }) => ({ content: make(textOf(messages.at(-1)?.content)) }), { chunkSize: 8 });
    return this;
  }

  /** Rejects the next request in the protocol's format. Several calls affect several requests. */
  refuseNext(status: number, refusal: Refusal = {}): this {
    return this.disturbNext({ kind: 'refuse', status, refusal });
  }

  /** Disturbs the reply to the next request. Several calls affect several requests. */
  disturbNext(disturbance: Disturbance): this {
    this.#disturbances.push(disturbance);
    return this;
  }

  /** Decides for each request from now on what happens to its reply. */
  disturbBy(choose: () => Disturbance | undefined): this {
    this.#disturb = choose;
    return this;
  }

  reset(): this {
    this.requests.length = 0;
    this.#disturbances.length = 0;
    this.#disturb = () => undefined;
    this.mock.reset();
    return this;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.mock.stop();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const path = incoming.url ?? '/';
    this.#open += 1;
    outgoing.on('close', () => (this.#open -= 1));
    this.requests.push({
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: parse(raw),
      raw: raw.toString('utf8'),
    });
    const disturbance = incoming.method === 'POST' ? (this.#disturbances.shift() ?? this.#disturb()) : undefined;
    if (disturbance?.kind === 'reset') {
      incoming.socket.destroy();
      return;
    }
    if (disturbance?.kind === 'reply') {
      outgoing.writeHead(disturbance.status, { 'content-type': disturbance.type });
      outgoing.end(disturbance.body);
      return;
    }
    if (disturbance?.kind === 'refuse') {
      const { status, refusal } = disturbance;
      const { message = `refused with ${status}`, type, code } = refusal;
      this.mock.nextRequestError(status, { message, ...(type && { type }), ...(code && { code }) });
    }
    const headers = { ...incoming.headers, host: new URL(this.mock.url).host };
    const upstream = send(
      `${this.mock.url}${path}`,
      // Without an agent, connections aren't reused. The mock closes idle ones, and a request that is sent just then would
      // fail and use up its disturbance, so that the client's retry would get an undisturbed reply.
      { method: incoming.method, headers, agent: false },
      (reply) => pass(reply, outgoing, disturbance),
    );
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    upstream.end(raw);
  }
}

function parse(raw: Buffer): Readonly<Record<string, unknown>> {
  if (raw.length === 0) return {};
  return JSON.parse(raw.toString('utf8')) as Readonly<Record<string, unknown>>;
}

function textOf(content: string | readonly { readonly text?: string }[] | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n\n');
}

/** Forwards a reply event by event until the disturbance begins. */
function pass(reply: IncomingMessage, outgoing: ServerResponse, disturbance: Disturbance | undefined): void {
  const headers = { ...reply.headers };
  if (disturbance?.kind === 'refuse') {
    // Real servers don't always send a retry delay, but aimock does.
    const { retryAfter } = disturbance.refusal;
    if (retryAfter === undefined) delete headers['retry-after'];
    else headers['retry-after'] = retryAfter;
  }
  outgoing.writeHead(reply.statusCode ?? 500, headers);
  outgoing.flushHeaders();
  let held = '';
  let texts = 0;
  let struck = false;
  reply.setEncoding('utf8');
  if (disturbance?.kind === 'keepAlive') {
    const { line, times, everyMs } = disturbance;
    let left = times;
    reply.pause();
    const timer = setInterval(() => {
      outgoing.write(line);
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      reply.resume();
    }, everyMs);
    outgoing.on('close', () => clearInterval(timer));
  }
  const strike = (): boolean => {
    if (struck || disturbance === undefined || !('afterText' in disturbance) || texts < disturbance.afterText)
      return struck;
    struck = true;
    if (disturbance.kind === 'hold') {
      reply.pause();
      void disturbance.until.then(() => {
        disturbance = undefined;
        struck = false;
        if (outgoing.destroyed) return;
        drain();
        reply.resume();
      });
    }
    if (disturbance.kind === 'cut') setImmediate(() => outgoing.destroy());
    if (disturbance.kind === 'end') outgoing.end();
    if (disturbance.kind === 'garbage') outgoing.end('event: content_block_delta\ndata: {"type": "content_bl\n\n');
    if (disturbance.kind === 'inject') outgoing.end(disturbance.events);
    return true;
  };
  const drain = (): void => {
    for (let end = held.indexOf('\n\n'); end >= 0 && !struck; end = held.indexOf('\n\n')) {
      const event = held.slice(0, end + 2);
      held = held.slice(end + 2);
      outgoing.write(event);
      if (CARRIES_TEXT.test(event)) texts += 1;
      strike();
    }
  };
  strike();
  reply.on('data', (chunk: string) => {
    held += chunk;
    drain();
  });
  reply.on('end', () => {
    if (!struck) outgoing.end(held);
  });
  reply.on('error', () => outgoing.destroy());
}
