import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import { modelInfo } from '../core/tokens/models.ts';
import { toModelFault, type SdkErrors } from './provider-errors.ts';
import { CLIENT_OPTIONS, orMissingKey, parseBaseUrl, withoutCustomHeaders } from './http.ts';
import { isObject } from '../core/text/json-value.ts';
import { parseOpenAiListedModel, sortedById, type ListedModel, type ListingModel } from './listed-model.ts';
import { isLmStudioEntry, lmStudioFacts } from './lm-studio.ts';
import { isOllamaEntry, ollamaBody, ollamaFacts, openOllama, readOllama } from './ollama.ts';
import { chatBody, readChat, type ChatDialect } from './openai-chat.ts';
import { readResponses, responsesBody } from './openai-responses.ts';
import { ThinkFilter, thinkingHabit } from './think-filter.ts';
import { optionalPartsOf, RequestFallback } from './request-fallback.ts';
import {
  askWatched,
  MAX_CONCURRENT_REQUESTS,
  runWatched,
  type CallTimeouts,
  type WatchedCall,
} from './watched-call.ts';

const OFFICIAL_URL = 'https://api.openai.com/v1';

const ERRORS: SdkErrors = {
  api: APIError,
  aborted: APIUserAbortError,
  connection: APIConnectionError,
  timedOut: APIConnectionTimeoutError,
};

export interface OpenAiSettings extends CallTimeouts {
  /** May be missing for a compatible server that doesn't require one. */
  readonly apiKey?: string;
  /**
   * Default: OpenAI's own. `/v1` is added to a plain host; a query (Azure's `api-version`) is sent with each request.
   */
  readonly baseUrl?: string;
  readonly model: string;
  /** Default: `responses` for OpenAI, `chat` (Chat Completions) for all other addresses. */
  readonly api?: 'responses' | 'chat' | 'ollama';
  /** The context window requested from Ollama, in tokens; by default, Ollama's own default. */
  readonly contextWindow?: number;
  /** Prefix of the model's ID; default `openai`. */
  readonly provider?: string;
}

/** A chat model for OpenAI's Responses endpoint, Chat Completions, or Ollama's own endpoint, with its own client. */
export function createOpenAiModel(settings: OpenAiSettings): ListingModel {
  const { model, provider = 'openai', apiKey = '', contextWindow } = settings;
  const { origin, url, query, vendor } = serverAt(settings.baseUrl);
  const official = vendor === 'openai';
  const api = settings.api ?? (official ? 'responses' : 'chat');
  const fallback = new RequestFallback();
  const habit = thinkingHabit(model);
  const { breakpoints = false, efforts } = modelInfo(model);
  const dialect: ChatDialect = {
    official,
    breakpoints,
    claudeMarks: vendor === 'openrouter' && /claude/i.test(model),
  };
  const headers = authHeaders(apiKey, vendor);
  const client = withoutCustomHeaders(
    () =>
      new OpenAI({
        // The SDK requires a key. Without one, the authorization header is removed.
        apiKey: apiKey === '' ? 'none' : apiKey,
        baseURL: url,
        defaultQuery: query,
        defaultHeaders: headers,
        organization: null,
        project: null,
        ...CLIENT_OPTIONS,
      }),
  );
  const toFault = (error: unknown): ModelFault => orMissingKey(toModelFault(error, ERRORS, [apiKey]), apiKey);
  const requireKey = (): void => {
    if (official && apiKey === '') throw new ModelFault('no_key', 'no key is set for OpenAI');
  };
  /** OpenAI's reasoning models only accept a temperature if reasoning is disabled. */
  const withoutRejected = (request: ChatRequest): ChatRequest => {
    if (request.temperature === undefined || !official || efforts === undefined || request.effort === 'none')
      return request;
    const { temperature: _, ...rest } = request;
    return rest;
  };
  const bearer: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };

  const bodyOf = (request: ChatRequest, without: ReturnType<RequestFallback['without']>): object => {
    if (api === 'ollama') return ollamaBody(model, request, contextWindow, without);
    return api === 'responses'
      ? responsesBody(model, request, official && breakpoints, without)
      : chatBody(model, request, dialect, without);
  };

  async function* open(original: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    requireKey();
    const request = withoutRejected(original);
    const options = { signal: call.controller.signal };
    const response = await fallback.send(optionalPartsOf(request, api), request, async (without, tolerated) => {
      try {
        if (api === 'ollama') return await openOllama(origin, bodyOf(tolerated, without), bearer, options.signal);
        return await client
          .post(api === 'responses' ? '/responses' : '/chat/completions', {
            ...options,
            body: bodyOf(tolerated, without),
            stream: true,
          })
          .asResponse();
      } catch (error) {
        throw toFault(error);
      }
    });
    const watched = call.watch(response);
    const filter = new ThinkFilter(habit);
    if (api === 'ollama') yield* readOllama(watched, filter);
    else yield* api === 'responses' ? readResponses(watched, call) : readChat(watched, call, filter);
  }

  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...(official && { maxConcurrency: MAX_CONCURRENT_REQUESTS }),
    wireBody: (original) => {
      const request = withoutRejected(original);
      const without = fallback.without(optionalPartsOf(request, api), request.jsonSchema?.name);
      return JSON.stringify(bodyOf(fallback.limited(request), without));
    },
    stream: (request, signal) => runWatched(signal, settings, (call) => open(request, call), toFault),
    listModels: (signal) =>
      askWatched(
        signal,
        settings,
        async (call) => {
          requireKey();
          const models: ListedModel[] = [];
          const answer: unknown = await client.get('/models', { signal: call.controller.signal });
          // Together sends the list without an object around it.
          const entries = isObject(answer) ? answer['data'] : answer;
          for (const entry of Array.isArray(entries) ? entries.filter(isObject) : []) {
            const listed = parseOpenAiListedModel(entry);
            if (!listed) continue;
            // Ollama takes names without a tag, too. Some servers tell the context window only at their own endpoints.
            const isWanted = listed.id === model || listed.id === `${model}:latest`;
            const facts = !isWanted
              ? undefined
              : isOllamaEntry(listed.id, entry['owned_by'])
                ? await ollamaFacts(origin, listed.id, bearer, call.controller.signal)
                : isLmStudioEntry(entry['owned_by'])
                  ? await lmStudioFacts(origin, listed.id, bearer, call.controller.signal)
                  : undefined;
            models.push(facts ? { ...listed, ...facts, id: model } : listed);
          }
          return sortedById(models);
        },
        toFault,
      ),
  };
}

type Vendor = 'openai' | 'azure' | 'openrouter' | 'other';

/** The parts of an address. A plain host, such as Ollama's `http://localhost:11434`, gets the path `/v1`. */
function serverAt(baseUrl: string | undefined): {
  readonly origin: string;
  readonly url: string;
  readonly query: Record<string, string>;
  readonly vendor: Vendor;
} {
  const given = baseUrl === undefined || baseUrl.trim() === '' ? OFFICIAL_URL : baseUrl;
  const parsed = parseBaseUrl(given);
  if (!parsed) throw new ModelFault('bad_request', 'the base URL is not an http or https address');
  const { origin, path, query } = parsed;
  const { hostname } = new URL(origin);
  const vendor = /(?:^|\.)api\.openai\.com$/.test(hostname)
    ? 'openai'
    : hostname.endsWith('.azure.com')
      ? 'azure'
      : hostname.endsWith('openrouter.ai')
        ? 'openrouter'
        : 'other';
  return { origin, url: `${origin}${path === '' ? '/v1' : path}`, query, vendor };
}

function authHeaders(apiKey: string, vendor: Vendor): Record<string, string | null> {
  if (apiKey === '') return { Authorization: null };
  // Azure expects keys in a header of its own; the usual one is for Entra tokens.
  return vendor === 'azure' ? { 'api-key': apiKey } : {};
}
