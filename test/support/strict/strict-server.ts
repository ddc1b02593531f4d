import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type * as v from 'valibot';
import { loadEncoding, type TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { LoopbackServer } from '../loopback-server.ts';
import { PromptCache, type CacheUse, type Piece } from './cache.ts';
import { defaultAnswer } from './default-answer.ts';
import { costOf, priceFor } from './prices.ts';
import { firstProblem, chatSchema, messagesSchema, ollamaSchema, responsesSchema } from './schemas.ts';
import { chatStream, messagesStream, ollamaStream, responsesStream, type Reply } from './streams.ts';
import { bareId, thinkingAt, TRAITS, type Traits } from './traits.ts';

export type Flavour = 'openai' | 'anthropic' | 'ollama' | 'vllm' | 'llamacpp' | 'openrouter';

export interface StrictOptions {
  /** The model's reply. By default, it's as long as requested, and JSON if the request has a schema. */
  readonly answer?: (request: ModelRequest) => string;
  /** Anthropic: requests that the model refuses with the stop reason `refusal` (the SDK's `StopReason`). */
  readonly refuses?: (request: ModelRequest) => boolean;
  /** Thinking tokens of every model, whatever the request. */
  readonly think?: number;
  /** The share of requests that are first answered with 429 or 529; the same ones in each run. */
  readonly busyShare?: number;
  /** Ollama: the context length if a request sets none, and the server's maximum. */
  readonly numCtx?: number;
  readonly maxNumCtx?: number;
  /** Ollama before October 2025, which ignores `truncate`. */
  readonly alwaysTruncates?: boolean;
  /** Time from the headers to the first token, in ms. */
  readonly firstTokenMs?: number;
  /** Time between parts of a stream, in ms. */
  readonly eventMs?: number;
  /** OpenRouter: the account's credit in US dollars. */
  readonly credit?: number;
  /** vLLM before 0.10 and FastAPI: errors without an `error` member, no `stream_options`. */
  readonly oldErrors?: boolean;
  /** A gateway's schema: requests with such a member are rejected. */
  readonly unknown?: string;
  /** The current time in ms, for cache expiry. */
  readonly now?: () => number;
}

export interface ModelRequest {
  readonly model: string;
  readonly prompt: string;
  readonly schema: unknown;
}

export interface Exchange {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly refusal?: string;
  readonly reply?: Reply;
  /** Tokens of the whole prompt in the model's own tokenizer, whether they were read or not. */
  readonly sent: number;
  /** US dollars, at the prices of `priceFor`. */
  readonly cost: number;
}

class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;

  constructor(status: number, type: string, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.type = type;
    this.param = param;
  }
}

interface ParsedRequest {
  readonly model: string;
  readonly traits: Traits;
  readonly pieces: readonly Piece[];
  readonly maxOutput: number | undefined;
  readonly effort: string | undefined;
  readonly temperature: unknown;
  readonly schema: unknown;
  readonly images: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Ollama's refusal of a prompt, which is llama-server's as a string: ollama/ollama#16800 */
function tooLong(sent: number, n_ctx: number): Refusal {
  const message = `request (${sent} tokens) exceeds the available context size (${n_ctx} tokens), try increasing it`;
  const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: sent, n_ctx };
  return new Refusal(400, error.type, JSON.stringify({ error }));
}

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const invalid = (message: string, param: string | null = null): Refusal =>
  new Refusal(400, 'invalid_request_error', message, param);

/**
 * Servers on loopback that are as strict as the vendors' documentation: they validate requests, have the models'
 * restrictions, count thinking toward the output limit, cache prompts by the vendors' rules, and truncate like Ollama.
 */
export class StrictServer extends LoopbackServer {
  readonly exchanges: Exchange[] = [];
  options: StrictOptions;
  readonly #flavour: Flavour;
  readonly #counter: TokenCounter;
  readonly #cache: PromptCache;
  #requestCount = 0;
  #loadedCtx: number | undefined;

  static async start(flavour: Flavour, options: StrictOptions = {}): Promise<StrictServer> {
    const server = new StrictServer(flavour, options, await loadEncoding('o200k_base'));
    return server.listen((incoming, outgoing) => void server.#handle(incoming, outgoing));
  }

  private constructor(flavour: Flavour, options: StrictOptions, counter: TokenCounter) {
    super();
    this.#flavour = flavour;
    this.options = options;
    this.#counter = counter;
    this.#cache = new PromptCache(() => this.options.now?.() ?? Date.now());
  }

  get answered(): readonly (Exchange & { readonly reply: Reply })[] {
    return this.exchanges.filter((one): one is Exchange & { readonly reply: Reply } => one.reply !== undefined);
  }

  get cost(): number {
    return this.exchanges.reduce((sum, { cost }) => sum + cost, 0);
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const path = (incoming.url ?? '').split('?')[0]!.replace(/^\/(?:openai\/)?api\/v1(?=\/)/, '/v1');
    const raw = Buffer.concat(parts).toString('utf8');
    const parsed: unknown = raw === '' ? {} : JSON.parse(raw);
    const body = isJson(parsed) ? parsed : {};
    const kept = { path, headers: incoming.headers, body };
    try {
      const listed = this.#listed(path, body);
      if (listed !== undefined) {
        this.exchanges.push({ ...kept, status: 200, sent: 0, cost: 0 });
        outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(listed));
        return;
      }
      this.#rejectSome();
      const request = this.#read(path, body);
      const { reply, sent } = this.#answer(request, path);
      this.exchanges.push({ ...kept, status: 200, reply, sent, cost: costOf(request.model, reply) });
      const native = path === '/api/chat';
      outgoing.writeHead(200, { 'content-type': native ? 'application/x-ndjson' : 'text/event-stream' });
      outgoing.flushHeaders();
      if (this.options.firstTokenMs !== undefined) await pause(this.options.firstTokenMs);
      for (const event of this.#stream(path, reply, body)) {
        outgoing.write(event);
        if (this.options.eventMs !== undefined) await pause(this.options.eventMs);
      }
      outgoing.end();
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'server_error', String(error));
      this.exchanges.push({ ...kept, status: refusal.status, refusal: refusal.message, sent: 0, cost: 0 });
      const headers = { 'content-type': 'application/json', ...(refusal.status === 429 && { 'retry-after-ms': '20' }) };
      outgoing.writeHead(refusal.status, headers).end(JSON.stringify(this.#refusalBody(refusal)));
    }
  }

  #refusalBody({ status, type, message, param }: Refusal): unknown {
    if (this.#flavour === 'anthropic') return { type: 'error', error: { type, message }, request_id: 'req_1' };
    // The format of FastAPI, and of vLLM before 0.10 (vllm/entrypoints/openai/protocol.py, ErrorResponse).
    if (this.options.oldErrors)
      return status === 422 ? { detail: [{ msg: message }] } : { object: 'error', message, type, param, code: status };
    if (this.#flavour === 'openrouter') return { error: { code: status, message } };
    if (this.#flavour === 'ollama') return { error: message };
    return { error: { message, type, param, code: type } };
  }

  /** Rejects a share of the requests, in a fixed pattern, so that all runs are the same. */
  #rejectSome(): void {
    const { busyShare = 0 } = this.options;
    const at = this.#requestCount++;
    if (Math.floor((at + 1) * busyShare) === Math.floor(at * busyShare)) return;
    if (this.#flavour === 'anthropic' && at % 2 === 0) throw new Refusal(529, 'overloaded_error', 'Overloaded');
    throw new Refusal(429, 'rate_limit_error', 'Rate limit reached for requests');
  }

  #listed(path: string, body: Json): unknown {
    const ids = Object.keys(TRAITS);
    if (path === '/v1/models') return { object: 'list', data: ids.map((id) => this.#listEntry(id)), has_more: false };
    if (this.#flavour !== 'ollama') return undefined;
    // docs.ollama.com/api: version, show, ps
    const model = typeof body['model'] === 'string' ? body['model'] : '';
    const { window = 0, images = false, thinks = 0 } = TRAITS[model] ?? {};
    if (path === '/api/version') return { version: '0.14.2' };
    if (path === '/api/show') {
      const capabilities = ['completion', ...(images ? ['vision'] : []), ...(thinks > 0 ? ['thinking'] : [])];
      return { model_info: { 'general.architecture': 'llama', 'llama.context_length': window }, capabilities };
    }
    if (path === '/api/ps')
      return {
        models:
          this.#loadedCtx === undefined
            ? []
            : ids.map((name) => ({ name, model: name, context_length: this.#loadedCtx })),
      };
    return undefined;
  }

  #listEntry(id: string): unknown {
    const { window, maxOutput, images, efforts } = TRAITS[id]!;
    switch (this.#flavour) {
      case 'anthropic': {
        const levels = Object.fromEntries(
          ['low', 'medium', 'high', 'max'].map((one) => [one, { supported: efforts?.includes(one) === true }]),
        );
        const capabilities = {
          image_input: { supported: images },
          effort: { supported: efforts !== undefined, ...levels },
        };
        const life = {
          lifecycle: id === 'claude-sonnet-5' ? 'deprecated' : 'active',
          retires_at: id === 'claude-sonnet-5' ? '2027-02-01T00:00:00Z' : null,
        };
        const limits = { max_input_tokens: window, max_tokens: maxOutput };
        return { type: 'model', id, display_name: id, ...limits, capabilities, ...life };
      }
      case 'openrouter': {
        const per = (usd: number): string => String(usd / 1e6);
        const { input, output, cachedInput = input } = priceFor(id);
        const pricing = { prompt: per(input), completion: per(output), input_cache_read: per(cachedInput) };
        const top_provider = { max_completion_tokens: maxOutput };
        return {
          id,
          context_length: window,
          pricing,
          top_provider,
          architecture: { input_modalities: images ? ['text', 'image'] : ['text'] },
        };
      }
      case 'vllm':
        return { id, object: 'model', owned_by: 'vllm', max_model_len: window };
      case 'llamacpp':
        return { id, object: 'model', owned_by: 'llamacpp', meta: { n_ctx: window, n_ctx_train: window } };
      case 'ollama':
        return { id, object: 'model', created: 1, owned_by: 'library' };
      case 'openai':
        return {
          id,
          object: 'model',
          created: 1,
          owned_by: 'system',
          shutdown_date: id === 'gpt-5-nano' ? '2026-12-11' : null,
        };
    }
  }

  #read(path: string, body: Json): ParsedRequest {
    const protocol = PROTOCOLS[path];
    if (protocol === undefined || !protocol.flavours.includes(this.#flavour))
      throw new Refusal(404, 'not_found_error', `Invalid URL (${path})`);
    const wrong = firstProblem(protocol.schema, body);
    if (wrong !== undefined) throw invalid(wrong);
    const model = String(body['model']);
    const traits = TRAITS[bareId(model)];
    if (!traits)
      throw new Refusal(
        404,
        this.#flavour === 'anthropic' ? 'not_found_error' : 'model_not_found',
        `model: ${model} does not exist`,
      );
    const count = (text: string): number => Math.ceil(this.#counter.text(text) * (traits.factor ?? 1));
    const request = protocol.read(body, { model, traits }, count);
    this.#checkForModel(request, path);
    return request;
  }

  /** Throws for a request that the vendor rejects for this model. */
  #checkForModel({ model, traits, effort, temperature, images, maxOutput, body }: ParsedRequest, path: string): void {
    const hosted = this.#flavour === 'openai' || this.#flavour === 'anthropic';
    const unsupported = (param: string): Refusal =>
      invalid(`Unsupported parameter: '${param}' is not supported with this model.`, param);
    if (hosted && temperature !== undefined) {
      const thinksNot = effort === 'none' && traits.efforts?.includes('none') === true;
      if (traits.temperature === 'refused' || (traits.temperature === 'without thinking' && !thinksNot))
        throw unsupported('temperature');
    }
    if (hosted && effort !== undefined && this.#flavour === 'openai') {
      if (!traits.efforts) throw unsupported('reasoning.effort');
      if (!traits.efforts.includes(effort))
        throw invalid(`Unsupported value: '${effort}' is not supported with the '${model}' model.`, 'reasoning.effort');
    }
    if (this.#flavour === 'openai') {
      if (path.endsWith('/chat/completions') && 'max_tokens' in body && traits.efforts) throw unsupported('max_tokens');
      const marked = 'prompt_cache_options' in body || JSON.stringify(body).includes('"prompt_cache_breakpoint"');
      if (marked && traits.cache !== 'breakpoints') throw unsupported('prompt_cache_options');
    }
    if (this.#flavour === 'anthropic') checkMessagesRequest(body, traits, effort);
    if (images > 0 && !traits.images) throw invalid('This model does not support image input.', 'input');
    if (hosted && maxOutput !== undefined && maxOutput > traits.maxOutput)
      throw invalid(`max_tokens: ${maxOutput} > ${traits.maxOutput}, which is the maximum allowed`, 'max_tokens');
    // sandialabs/atlas-ui-3#534, anomalyco/opencode#8246: gateways for Claude require the tools that occur in the
    // history.
    if (
      this.#flavour === 'openrouter' &&
      /claude/.test(model) &&
      JSON.stringify(body).includes('"tool_calls"') &&
      !('tools' in body)
    )
      throw invalid('Requests which include `tool_use` or `tool_result` blocks must define tools');
    const { unknown } = this.options;
    if (unknown && JSON.stringify(body).includes(unknown)) throw invalid(`Unknown parameter: '${unknown}'.`, unknown);
    if (this.options.oldErrors && 'stream_options' in body)
      throw new Refusal(422, 'validation', 'Extra inputs are not permitted: stream_options');
  }

  #answer(asked: ParsedRequest, path: string): { reply: Reply; sent: number } {
    const { traits, model, pieces } = asked;
    const sent = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
    const read = this.#fit(asked, sent, path);
    const cache = this.#cached(asked);
    const limit = Math.max(1, Math.min(asked.maxOutput ?? traits.maxOutput, traits.window - read));
    const { credit } = this.options;
    // OpenRouter reserves credit for the whole output limit before it answers (microsoft/vscode#312939).
    const { output } = priceFor(model);
    if (credit !== undefined && (limit * output) / 1e6 > credit)
      throw new Refusal(
        402,
        'payment_required',
        `This request requires more credits, or fewer max_tokens. You requested up to ${limit} tokens, but can only afford ${Math.floor((credit * 1e6) / output)}.`,
      );
    const wanted = thinkingAt(traits, asked.effort, this.options.think);
    const reasoning = Math.min(wanted, limit);
    const prompt = pieces.map((piece) => piece.text).join('\n');
    const request = { model, prompt, schema: asked.schema };
    const refused = this.options.refuses?.(request) === true;
    const full = refused ? '' : (this.options.answer ?? defaultAnswer)(request);
    const text = this.#counter.text(full) <= limit - reasoning ? full : cutTo(full, limit - reasoning, this.#counter);
    const answered = this.#counter.text(text);
    const thinkingAs = traits.thinkingAs ?? 'field';
    const cut = text.length < full.length;
    return { reply: { model, text, reasoning, answered, cut, refused, input: read, cache, thinkingAs }, sent };
  }

  /** The number of prompt tokens that are read: all, unless Ollama truncates the prompt. Throws if it's too long. */
  #fit({ traits, pieces, maxOutput, body }: ParsedRequest, sent: number, path: string): number {
    if (this.#flavour === 'ollama') {
      // ralphgrewe/TradingAgents#168, NousResearch/hermes-agent#43900: /v1 has no num_ctx, and the oldest messages are
      // dropped.
      const wanted = path === '/api/chat' && isJson(body['options']) ? Number(body['options']['num_ctx'] ?? 0) : 0;
      const { numCtx = 4_096, maxNumCtx = Number.POSITIVE_INFINITY } = this.options;
      this.#loadedCtx = Math.min(wanted > 0 ? wanted : numCtx, maxNumCtx, traits.window);
      if (sent <= this.#loadedCtx) return sent;
      if (body['truncate'] === false && !this.options.alwaysTruncates) throw tooLong(sent, this.#loadedCtx);
      let left = sent;
      for (const piece of pieces.slice(1, -1)) if (left > this.#loadedCtx - 64) left -= piece.tokens;
      return Math.min(left, this.#loadedCtx - 64);
    }
    const needed = sent + (this.#flavour === 'vllm' ? (maxOutput ?? 1) : 0);
    if (needed <= traits.window) return sent;
    if (this.#flavour === 'vllm')
      throw new Refusal(
        400,
        'BadRequestError',
        `This model's maximum context length is ${traits.window} tokens. However, you requested ${needed} tokens (${sent} in the messages, ${maxOutput ?? 0} in the completion).`,
      );
    if (this.#flavour === 'llamacpp')
      throw new Refusal(400, 'exceed_context_size_error', 'the request exceeds the available context size');
    throw this.#flavour === 'anthropic'
      ? invalid(`prompt is too long: ${sent} tokens > ${traits.window} maximum`)
      : new Refusal(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.');
  }

  #cached({ traits, pieces, body }: ParsedRequest): CacheUse {
    const vendor = this.#flavour === 'openai' || this.#flavour === 'anthropic' || this.#flavour === 'openrouter';
    if (!vendor) return { read: 0, write: 0, hour: 0 };
    switch (traits.cache) {
      case 'none':
        return { read: 0, write: 0, hour: 0 };
      case 'prefix':
        return this.#cache.byPrefix(pieces);
      case 'breakpoints': {
        const options = body['prompt_cache_options'];
        return this.#cache.byBreakpoints(
          stringOf(body['prompt_cache_key']) ?? '',
          pieces,
          isJson(options) && options['mode'] === 'explicit',
        );
      }
      case 'marks':
        return this.#cache.byMarks(pieces);
    }
  }

  #stream(path: string, reply: Reply, body: Json): Iterable<string> {
    if (path === '/v1/responses') return responsesStream(reply);
    if (path === '/v1/messages') return messagesStream(reply);
    if (path === '/api/chat') return ollamaStream(reply, body['think'] !== false);
    return chatStream(reply, 'stream_options' in body, this.#flavour !== 'openai');
  }
}

type Count = (text: string) => number;
interface Protocol {
  readonly flavours: readonly Flavour[];
  readonly schema: v.GenericSchema;
  readonly read: (body: Json, named: Pick<ParsedRequest, 'model' | 'traits'>, count: Count) => ParsedRequest;
}

const messagesOf = (body: Json) => listOf(body['messages']).flatMap((one) => blocksOf(one, one['role'] === 'user'));
const COMPATIBLE: readonly Flavour[] = ['openai', 'ollama', 'vllm', 'llamacpp', 'openrouter'];
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/v1/responses': {
    flavours: ['openai'],
    schema: responsesSchema,
    read: (body, named, count) => {
      const { reasoning, text } = body;
      const instructions = typeof body['instructions'] === 'string' ? [{ text: body['instructions'] }] : [];
      const items = listOf(body['input']).flatMap((item) => blocksOf(item, item['role'] === 'user'));
      return {
        ...named,
        ...promptOf(body, [...instructions, ...items], count),
        maxOutput: numberOf(body['max_output_tokens']),
        effort: isJson(reasoning) ? stringOf(reasoning['effort']) : undefined,
        schema: isJson(text) && isJson(text['format']) ? text['format']['schema'] : undefined,
      };
    },
  },
  '/v1/chat/completions': {
    flavours: COMPATIBLE,
    schema: chatSchema,
    read: (body, named, count) => {
      const format = body['response_format'];
      return {
        ...named,
        ...promptOf(body, messagesOf(body), count),
        maxOutput: numberOf(body['max_completion_tokens'] ?? body['max_tokens']),
        effort: stringOf(body['reasoning_effort']),
        schema: isJson(format) && isJson(format['json_schema']) ? format['json_schema']['schema'] : undefined,
      };
    },
  },
  '/v1/messages': {
    flavours: ['anthropic'],
    schema: messagesSchema,
    read: (body, named, count) => {
      const { thinking, output_config: output } = body;
      const system = listOf(body['system']).flatMap((block) => blocksOf({ content: [block] }, false));
      const disabled = isJson(thinking) && thinking['type'] === 'disabled';
      return {
        ...named,
        ...promptOf(body, [...system, ...messagesOf(body)], count),
        maxOutput: numberOf(body['max_tokens']),
        effort: disabled ? 'none' : isJson(output) ? stringOf(output['effort']) : undefined,
        schema: isJson(output) && isJson(output['format']) ? output['format']['schema'] : undefined,
      };
    },
  },
  '/api/chat': {
    flavours: ['ollama'],
    schema: ollamaSchema,
    read: (body, named, count) => {
      const options = isJson(body['options']) ? body['options'] : {};
      return {
        ...named,
        ...promptOf(body, messagesOf(body), count),
        maxOutput: numberOf(options['num_predict']),
        effort: body['think'] === false ? 'none' : undefined,
        schema: body['format'],
      };
    },
  },
};

interface Block {
  readonly text: string;
  readonly mark?: '5m' | '1h' | '30m';
  readonly userEnd?: boolean;
  readonly image?: boolean;
}

function promptOf(
  body: Json,
  blocks: readonly Block[],
  count: Count,
): Pick<ParsedRequest, 'pieces' | 'temperature' | 'images' | 'body'> {
  const pieces = blocks.map(({ image, ...block }): Piece => ({
    ...block,
    tokens: (image ? 1_600 : count(block.text.replace(/^<\w*>/, ''))) + 4,
  }));
  return { pieces, temperature: body['temperature'], images: blocks.filter(({ image }) => image).length, body };
}

/** The blocks of a message. The first one begins with the role, which the prompt cache compares as well. */
function blocksOf(message: Json, isUser: boolean): Block[] {
  const { content } = message;
  const head = `<${stringOf(message['role'] ?? message['type']) ?? ''}>`;
  const parts = Array.isArray(content) ? listOf(content) : [];
  const calls = JSON.stringify([message['tool_calls'], message['arguments'], message['output']]).replace(
    '[null,null,null]',
    '',
  );
  const blocks: Block[] = parts.map((part, at) => {
    const control = part['cache_control'];
    const mark = isJson(control)
      ? control['ttl'] === '1h'
        ? '1h'
        : '5m'
      : 'prompt_cache_breakpoint' in part
        ? '30m'
        : undefined;
    const said = part['text'] ?? part['content'] ?? (part['type'] === 'tool_use' ? JSON.stringify(part['input']) : '');
    const image = /image/.test(String(part['type']));
    return {
      text: `${at === 0 ? head : ''}${stringOf(said) ?? JSON.stringify(said)}`,
      ...(mark && { mark }),
      ...(image && { image }),
    };
  });
  if (parts.length === 0) blocks.push({ text: `${head}${typeof content === 'string' ? content : ''}${calls}` });
  if (isUser) blocks[blocks.length - 1] = { ...blocks.at(-1)!, userEnd: true };
  return blocks;
}

/**
 * Throws for a valid request that the Messages endpoint rejects: platform.claude.com/docs/en/api/versioning, …/errors,
 * …/prompt-caching
 */
function checkMessagesRequest(body: Json, traits: Traits, effort: string | undefined): void {
  const messages = listOf(body['messages']);
  if (messages[0]?.['role'] !== 'user') throw invalid('messages: first message must use the "user" role');
  if (messages.at(-1)?.['role'] !== 'user') throw invalid('This model does not support assistant message prefill.');
  const text = JSON.stringify(body);
  const marks = [...text.matchAll(/"cache_control":\{[^}]*\}/g)].map(([mark]) => mark);
  if (marks.length > 4)
    throw invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  const lives = marks.map((mark) => mark.includes('1h'));
  if (lives.some((hour, at) => hour && lives.slice(0, at).includes(false)))
    throw invalid("cache_control: a ttl='1h' block must not come after a ttl='5m' block.");
  if (/"tool_use"/.test(text) && !('tools' in body))
    throw invalid('Requests which include `tool_use` or `tool_result` blocks must define tools');
  if (isJson(body['thinking']) && body['thinking']['type'] === 'enabled' && traits.efforts)
    throw invalid(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort".',
    );
  if (effort === 'none' && traits.alwaysThinks)
    throw invalid('"thinking.type.disabled" is not supported for this model.');
  if (effort !== undefined && effort !== 'none' && !traits.efforts)
    throw invalid('This model does not support the effort parameter.');
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function cutTo(text: string, tokens: number, counter: TokenCounter): string {
  let length = text.length;
  while (length > 0 && counter.text(text.slice(0, length)) > tokens) length = Math.floor(length * 0.8);
  return text.slice(0, length);
}
