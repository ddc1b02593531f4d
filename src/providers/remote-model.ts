import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import type { ListedModel, ListingModel } from './listed-model.ts';
import { toModelFault, type SdkErrors } from './provider-errors.ts';
import { requestFallback, type Endpoint, type OptionalPart } from './request-fallback.ts';
import { WatchedCall, watchStream, type CallTimeouts } from './watched-call.ts';

export interface RemoteSettings extends CallTimeouts {
  readonly model: string;
  /**
   * Default: the vendor's own. `/v1` is added to a plain host, except for Anthropic, where it's removed because the SDK
   * adds it. A query (Azure's `api-version`) is sent with each request.
   */
  readonly baseUrl?: string;
  /** May be missing at a custom base URL, where the server may not require one. */
  readonly apiKey?: string;
  /** Default: `responses` for OpenAI, `chat` (Chat Completions) for all other addresses. Ignored for Anthropic. */
  readonly api?: 'responses' | 'chat' | 'ollama';
  /** The context window requested from Ollama, in tokens; by default, Ollama's own default. */
  readonly contextWindow?: number;
}

/** Maximum number of concurrent requests to a vendor's own address. Other servers may queue them, so they get fewer. */
const MAX_CONCURRENT_REQUESTS = 24;

interface RemoteServer {
  readonly provider: string;
  readonly endpoint: Endpoint;
  /** Whether it's the vendor's own address, which requires a key. */
  readonly isOfficial: boolean;
  readonly errors: SdkErrors;
  readonly adapt?: (request: ChatRequest) => ChatRequest;
  readonly body: (request: ChatRequest, without: ReadonlySet<OptionalPart>) => object;
  readonly post: (body: object, signal: AbortSignal) => Promise<Response>;
  readonly read: (response: Response, call: WatchedCall) => AsyncIterable<ChatChunk>;
  /** The entries of the server's model list that are models for chats. */
  readonly list: (signal: AbortSignal) => Promise<readonly ListedModel[]>;
  /** Counts the input tokens of a request, if the server can. */
  readonly count?: (request: ChatRequest, without: ReadonlySet<OptionalPart>, signal: AbortSignal) => Promise<number>;
}

/** Creates a model on a server, and handles keys, timeouts, faults, and optional parts that a server may reject. */
export function remoteModel({ model, apiKey = '', ...timeouts }: RemoteSettings, server: RemoteServer): ListingModel {
  const { provider, isOfficial, count } = server;
  const adapt = server.adapt ?? ((request: ChatRequest) => request);
  const toFault = (error: unknown): ModelFault => {
    const fault = toModelFault(error, server.errors, [apiKey]);
    if (apiKey !== '' || fault.reason !== 'refused_key') return fault;
    // The server rejected the missing key.
    return new ModelFault('no_key', fault.message, { status: fault.status, cause: fault.cause });
  };
  const fallback = requestFallback(server.endpoint, toFault);
  const requireKey = (): void => {
    if (isOfficial && apiKey === '') throw new ModelFault('no_key', `no key is set for ${provider}`);
  };

  async function* open(request: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    requireKey();
    const { signal } = call.controller;
    const response = await fallback.send(adapt(request), (sent, without) =>
      server.post(server.body(sent, without), signal),
    );
    yield* server.read(call.watch(response), call);
  }

  /** Runs a call with a single response (a list, a count) with the same timeouts. Only throws `ModelFault`. */
  const watched = async <T>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const call = new WatchedCall(signal, timeouts);
    try {
      requireKey();
      return await send(call.controller.signal);
    } catch (error) {
      throw call.interruption() ?? toFault(error);
    } finally {
      call.close();
    }
  };

  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...(isOfficial && { maxConcurrency: MAX_CONCURRENT_REQUESTS }),
    wireBody: (original) => {
      const request = adapt(original);
      return JSON.stringify(server.body(fallback.limited(request), fallback.knownRejections(request)));
    },
    stream: (request, signal) => watchStream(signal, timeouts, (call) => open(request, call), toFault),
    listModels: async (signal) => {
      const models = await watched(signal, (stopped) => server.list(stopped));
      return models.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    ...(count && {
      countTokens: (request, signal) =>
        watched(signal, (stopped) => count(request, fallback.knownRejections(request), stopped)),
    }),
  };
}
