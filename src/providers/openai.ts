import OpenAI from 'openai';
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import { toModelFault } from './fault-map.ts';
import type { SdkErrors } from './fault-map.ts';
import { chatBody, chatExtras, readChat } from './openai-chat.ts';
import { readResponses, responsesBody, responsesExtras } from './openai-responses.ts';
import { ThinkFilter, thinkingHabit } from './think-filter.ts';
import { Tolerance, type Extra } from './tolerance.ts';
import { askWatched, callLimits, HOSTED_AT_ONCE, runWatched } from './watched-call.ts';
import type { WatchedCall } from './watched-call.ts';

const OFFICIAL_URL = 'https://api.openai.com/v1';
/** The watch over silence ends a call, never the SDK's own timer, which must only be longer. */
const SDK_TIMEOUT_MS = 3_600_000;

/** Models that servers list beside those to chat with. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|realtime|transcribe|rerank|sora|gpt-image|gpt-audio|^(babbage|davinci)-/i;

const ERRORS: SdkErrors = {
  api: APIError,
  aborted: APIUserAbortError,
  connection: APIConnectionError,
  timedOut: APIConnectionTimeoutError,
};

export interface OpenAiSettings {
  /** May be missing for a compatible server that asks for none. */
  readonly apiKey?: string;
  /** Default: OpenAI's own. A bare host gets `/v1`; a query (Azure's `api-version`) goes with each request. */
  readonly baseUrl?: string;
  readonly model: string;
  /** Default: `responses` at OpenAI, `chat` (Chat Completions) at any other address. */
  readonly api?: 'responses' | 'chat';
  /** Milliseconds of silence after which a call counts as lost; see `callLimits` for the default. */
  readonly timeoutMs?: number;
  /** How often the SDK itself tries again; default 0, since `retrying` does so in sight of the user. */
  readonly maxRetries?: number;
  /** What the model's id begins with; default `openai`. */
  readonly provider?: string;
}

/** A model behind OpenAI's API or one made like it. */
export interface OpenAiModel extends ChatModel {
  /** Ids of the models that the server offers, sorted. Throws `ModelFault`. */
  listModels(signal: AbortSignal): Promise<readonly string[]>;
}

/** A chat model over OpenAI's Responses endpoint, or over Chat Completions. Its client is made once, here. */
export function createOpenAiModel(settings: OpenAiSettings): OpenAiModel {
  const { model, provider = 'openai', apiKey = '' } = settings;
  const base = serverUrl(settings.baseUrl);
  const official = base.url === OFFICIAL_URL;
  const api = settings.api ?? (official ? 'responses' : 'chat');
  const limits = callLimits(settings.timeoutMs);
  const tolerance = new Tolerance();
  const habit = thinkingHabit(model);
  const client = new OpenAI({
    // The SDK asks for some key; where there is none, the header that would carry it is left out.
    apiKey: apiKey === '' ? 'none' : apiKey,
    baseURL: base.url,
    defaultQuery: base.query,
    defaultHeaders: authHeaders(apiKey, base.url),
    organization: null,
    project: null,
    maxRetries: settings.maxRetries ?? 0,
    timeout: SDK_TIMEOUT_MS,
    // What is said goes to the address that the user has set, and no further.
    fetchOptions: { redirect: 'manual' },
    // The SDK's log would hold the text of messages.
    logLevel: 'off',
  });
  const toFault = (error: unknown): ModelFault => toModelFault(error, ERRORS, [apiKey]);
  const keyed = (): void => {
    if (official && apiKey === '') throw new ModelFault('no_key', 'no key is set for OpenAI');
  };

  const extrasOf = (request: ChatRequest): readonly Extra[] =>
    api === 'responses' ? responsesExtras(request) : chatExtras(request);

  async function* open(request: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    keyed();
    const options = { signal: call.controller.signal };
    const response = await tolerance.send(extrasOf(request), request.jsonSchema?.name, async (without) => {
      try {
        return api === 'responses'
          ? await client.responses.create(responsesBody(model, request, without), options).asResponse()
          : await client.chat.completions.create(chatBody(model, request, official, without), options).asResponse();
      } catch (error) {
        throw toFault(error);
      }
    });
    const watched = call.watch(response);
    yield* api === 'responses'
      ? readResponses(watched, call, client)
      : readChat(watched, call, client, new ThinkFilter(habit));
  }

  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...(official && { atOnce: HOSTED_AT_ONCE }),
    wireBody: (request) => {
      const without = tolerance.without(extrasOf(request), request.jsonSchema?.name);
      return JSON.stringify(
        api === 'responses' ? responsesBody(model, request, without) : chatBody(model, request, official, without),
      );
    },
    stream: (request, signal) => runWatched(signal, limits, (call) => open(request, call), toFault),
    listModels: (signal) =>
      askWatched(
        signal,
        limits,
        async (call) => {
          keyed();
          const ids: string[] = [];
          for await (const { id } of client.models.list({ signal: call.controller.signal })) {
            if (!NO_CHAT.test(id)) ids.push(id);
          }
          return ids.sort();
        },
        toFault,
      ),
  };
}

/** The address without its query and last slash, and with a path: `http://localhost:11434` is Ollama's `/v1`. */
function serverUrl(baseUrl: string | undefined): { readonly url: string; readonly query: Record<string, string> } {
  if (baseUrl === undefined || baseUrl.trim() === '') return { url: OFFICIAL_URL, query: {} };
  const parsed = URL.parse(baseUrl.trim());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new ModelFault('bad_request', 'the base URL is not an http or https address');
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return {
    url: `${parsed.origin}${path === '' ? '/v1' : path}`,
    query: Object.fromEntries(parsed.searchParams),
  };
}

function authHeaders(apiKey: string, url: string): Record<string, string | null> {
  if (apiKey === '') return { Authorization: null };
  // Azure takes its keys in a header of its own; the usual one there is for tokens of its directory.
  return new URL(url).hostname.endsWith('.azure.com') ? { 'api-key': apiKey } : {};
}
