import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk/core/error';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import type { RawMessageStreamEvent, StopReason } from '@anthropic-ai/sdk/resources/messages/messages';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import type { Ending, Usage } from '../core/model/message.ts';
import { AnthropicClient } from './anthropic-client.ts';
import { anthropicBody, anthropicExtras, anthropicPrompt } from './anthropic-request.ts';
import { isRecord } from './json.ts';
import { toModelFault } from './fault-map.ts';
import type { SdkErrors } from './fault-map.ts';
import { Tolerance } from './tolerance.ts';
import { askWatched, callLimits, HOSTED_AT_ONCE, runWatched } from './watched-call.ts';
import type { WatchedCall } from './watched-call.ts';

const OFFICIAL_URL = 'https://api.anthropic.com';
/** The watch over silence ends a call, never the SDK's own timer, which must only be longer. */
const SDK_TIMEOUT_MS = 3_600_000;

const ERRORS: SdkErrors = {
  api: APIError,
  aborted: APIUserAbortError,
  connection: APIConnectionError,
  timedOut: APIConnectionTimeoutError,
};

export interface AnthropicSettings {
  /** May be missing at an address of the user's own, where a server may ask for none. */
  readonly apiKey?: string;
  /** Default: Anthropic's own. A last `/v1` is taken off, since the SDK adds it. */
  readonly baseUrl?: string;
  readonly model: string;
  /** Milliseconds of silence after which a call counts as lost; see `callLimits` for the default. */
  readonly timeoutMs?: number;
  /** How often the SDK itself tries again; default 0, since `retrying` does so in sight of the user. */
  readonly maxRetries?: number;
}

/** A model behind Anthropic's API. */
export interface AnthropicModel extends ChatModel {
  /** Ids of the models on offer, sorted. Throws `ModelFault`. */
  listModels(signal: AbortSignal): Promise<readonly string[]>;
  /** Input tokens that the request would take, as the provider counts them. Throws `ModelFault`. */
  countTokens(request: ChatRequest, signal: AbortSignal): Promise<number>;
}

/** A chat model over Anthropic's Messages endpoint. Its client is made once, here. */
export function createAnthropicModel(settings: AnthropicSettings): AnthropicModel {
  const { model, apiKey = '' } = settings;
  const limits = callLimits(settings.timeoutMs);
  const tolerance = new Tolerance();
  const baseURL = serverUrl(settings.baseUrl);
  const client = new AnthropicClient({
    apiKey: apiKey === '' ? 'none' : apiKey,
    baseURL,
    maxRetries: settings.maxRetries ?? 0,
    timeout: SDK_TIMEOUT_MS,
    // What is said goes to the address that the user has set, and no further.
    fetchOptions: { redirect: 'manual' },
    // The SDK's log would hold the text of messages.
    logLevel: 'off',
  });
  const toFault = (error: unknown): ModelFault => toModelFault(error, ERRORS, [apiKey]);
  const keyed = (): void => {
    if (baseURL === OFFICIAL_URL && apiKey === '') throw new ModelFault('no_key', 'no key is set for Anthropic');
  };

  async function* open(request: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    keyed();
    const response = await tolerance.send(anthropicExtras(request), request.jsonSchema?.name, async (without) => {
      try {
        const body = anthropicBody(model, request, without);
        return await client.messages.create(body, { signal: call.controller.signal }).asResponse();
      } catch (error) {
        throw toFault(error);
      }
    });
    yield* readMessages(call.watch(response), call, client);
  }

  const ask = <T>(signal: AbortSignal, what: (call: WatchedCall) => Promise<T>): Promise<T> =>
    askWatched(
      signal,
      limits,
      async (call) => {
        keyed();
        return await what(call);
      },
      toFault,
    );

  return {
    id: `anthropic/${model}`,
    provider: 'anthropic',
    model,
    ...(baseURL === OFFICIAL_URL && { atOnce: HOSTED_AT_ONCE }),
    wireBody: (request) => {
      const without = tolerance.without(anthropicExtras(request), request.jsonSchema?.name);
      return JSON.stringify(anthropicBody(model, request, without));
    },
    stream: (request, signal) => runWatched(signal, limits, (call) => open(request, call), toFault),
    listModels: (signal) =>
      ask(signal, async (call) => {
        const ids: string[] = [];
        for await (const each of client.models.list({ limit: 1000 }, { signal: call.controller.signal })) {
          ids.push(each.id);
        }
        return ids.sort();
      }),
    countTokens: (request, signal) =>
      ask(signal, async (call) => {
        const counted = await client.messages.countTokens(
          { model, ...anthropicPrompt(request) },
          { signal: call.controller.signal },
        );
        return counted.input_tokens;
      }),
  };
}

/** Token figures of a reply; the API splits the input three ways and corrects itself as the reply goes on. */
interface Tally {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
}

/**
 * Reads a streamed reply. Thinking blocks are dropped here, so they are neither shown nor stored; their tokens are in
 * the usage, since they are paid for.
 */
async function* readMessages(
  response: Response,
  call: WatchedCall,
  client: AnthropicClient,
): AsyncGenerator<ChatChunk> {
  const kind = response.headers.get('content-type') ?? '';
  if (!kind.includes('event-stream')) {
    throw new ModelFault('malformed', `the server answered with ${kind === '' ? 'no type' : kind}, not a stream`);
  }
  const tally: Tally = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  let stop: StopReason | null = null;
  for await (const event of Stream.fromSSEResponse<RawMessageStreamEvent>(response, call.controller, client)) {
    if (event.type === 'content_block_start' && /thinking$/.test(event.content_block.type)) yield { type: 'thinking' };
    if (event.type === 'message_start') {
      count(tally, event.message.usage);
      yield* usageOf(tally);
    } else if (event.type === 'content_block_start' && event.content_block.type === 'text') {
      if (event.content_block.text !== '') yield { type: 'text', text: event.content_block.text };
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      if (event.delta.text !== '') yield { type: 'text', text: event.delta.text };
    } else if (event.type === 'message_delta') {
      count(tally, event.usage);
      stop = event.delta.stop_reason ?? stop;
      yield* usageOf(tally);
    } else if (event.type === 'message_stop') {
      yield { type: 'end', ending: ending(stop) };
      return;
    }
  }
  if (stop !== null) yield { type: 'end', ending: ending(stop) };
}

function count(tally: Tally, usage: object | undefined): void {
  // Servers that imitate the API leave figures out or send null; what was known stays.
  const figures: Readonly<Record<string, unknown>> = { ...usage };
  const of = (name: string, known: number): number => {
    const value = figures[name];
    return typeof value === 'number' ? value : known;
  };
  tally.input = of('input_tokens', tally.input);
  tally.output = of('output_tokens', tally.output);
  const details = figures['output_tokens_details'];
  const thought = isRecord(details) ? details['thinking_tokens'] : undefined;
  if (typeof thought === 'number') tally.reasoning = thought;
  tally.cacheRead = of('cache_read_input_tokens', tally.cacheRead);
  tally.cacheWrite = of('cache_creation_input_tokens', tally.cacheWrite);
}

/** `input_tokens` counts only what was neither read from nor written to the cache; the whole input is the sum. */
function* usageOf(tally: Tally): Generator<ChatChunk> {
  const input = tally.input + tally.cacheRead + tally.cacheWrite;
  // No request takes no tokens: servers that do not count send zeros.
  if (input <= 0) return;
  const usage: Usage = {
    input,
    output: tally.output,
    ...(tally.reasoning > 0 ? { reasoning: tally.reasoning } : {}),
    ...(tally.cacheRead > 0 ? { cachedInput: tally.cacheRead } : {}),
    ...(tally.cacheWrite > 0 ? { cacheWrite: tally.cacheWrite } : {}),
  };
  yield { type: 'usage', usage };
}

function ending(stop: StopReason | null): Ending {
  switch (stop) {
    case 'refusal':
      throw new ModelFault('content_refused', 'the model refused to answer');
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
    case null:
      return 'complete';
    default:
      // A reason that a later version of the API adds: the reply has ended, and nothing says that it was cut.
      return 'complete';
  }
}

function serverUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl.trim() === '') return OFFICIAL_URL;
  const parsed = URL.parse(baseUrl.trim());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new ModelFault('bad_request', 'the base URL is not an http or https address');
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}
