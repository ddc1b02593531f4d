import type { ChatRequest } from '../app/ports.ts';
import { modelInfo } from '../core/tokens/models.ts';
import { ask, valueOf, type ServerAccess } from './http.ts';
import { isRecord, listIn } from './json.ts';
import { listedModel } from './listed-model.ts';
import { ollamaBody, ollamaFacts, readOllama } from './ollama.ts';
import { chatBody, readChat, type ChatDialect } from './openai-chat.ts';
import { readResponses, responsesBody } from './openai-responses.ts';
import { remoteModel, serverAt, type Endpoint, type RemoteModel, type RemoteSettings } from './remote-model.ts';
import { ThinkFilter, thinkingHabit } from './think-filter.ts';

const OFFICIAL_URL = 'https://api.openai.com/v1';

/** The base URL: a bare host gets `/v1`; a query (Azure's `api-version`) goes with each request. */
export interface OpenAiSettings extends RemoteSettings {
  /** Default: `responses` at OpenAI, `chat` (Chat Completions) at any other address. */
  readonly api?: 'responses' | 'chat' | 'ollama';
  /** The context that Ollama is asked to load the model with, in tokens; without it, it uses its own. */
  readonly contextWindow?: number;
  /** What the model's id begins with; default `openai`. */
  readonly provider?: string;
}

/** A chat model over OpenAI's Responses endpoint, Chat Completions, or Ollama's own. */
export function createOpenAiModel(settings: OpenAiSettings): RemoteModel {
  const { model, provider = 'openai', apiKey = '' } = settings;
  const { origin, path, query } = serverAt(settings.baseUrl, OFFICIAL_URL);
  const base = `${origin}${path === '' ? '/v1' : path}`;
  const { hostname } = new URL(origin);
  const official = /(?:^|\.)api\.openai\.com$/.test(hostname);
  // Azure takes its keys in a header of its own; the usual one there is for tokens of its directory.
  const [keyHeader, key] = hostname.endsWith('.azure.com')
    ? ['api-key', apiKey]
    : ['authorization', `Bearer ${apiKey}`];
  const access: ServerAccess = { headers: apiKey === '' ? {} : { [keyHeader]: key }, query };
  const dialect = {
    official,
    breakpoints: modelInfo(model).breakpoints === true,
    claudeMarks: hostname.endsWith('openrouter.ai') && /claude/i.test(model),
  };
  return remoteModel(settings, {
    provider,
    vendor: official ? 'OpenAI' : undefined,
    access,
    ...turnsAt(settings, { origin, base }, dialect),
    list: async (call) => {
      const answer = await valueOf(await ask(`${base}/models`, access, call.signal), call);
      // Together sends the list alone.
      const entries = Array.isArray(answer) ? answer : listIn(answer, 'data');
      const models = entries.flatMap((entry) => listedModel(entry) ?? []);
      // Ollama's mark; how long a model's context is, it says at endpoints of its own.
      const isOllama = entries.some((one) => isRecord(one) && one['owned_by'] === 'library' && one['id'] === model);
      const told = isOllama ? await ollamaFacts(origin, model, access, call) : undefined;
      return models.map((one) => (one.id === model ? { ...one, ...told } : one));
    },
  });
}

/** How turns are sent and read at each of the endpoints. */
function turnsAt(
  { model, api, contextWindow }: OpenAiSettings,
  { origin, base }: { readonly origin: string; readonly base: string },
  dialect: ChatDialect,
): Pick<Endpoint, 'api' | 'url' | 'body' | 'read'> {
  const { official, breakpoints } = dialect;
  const habit = thinkingHabit(model);
  const { efforts } = modelInfo(model);
  /** OpenAI's models that think take no temperature but where they are told not to. */
  const asTaken = (request: ChatRequest): ChatRequest => {
    const { temperature, ...rest } = request;
    return temperature !== undefined && official && efforts !== undefined && request.effort !== 'none' ? rest : request;
  };
  switch (api ?? (official ? 'responses' : 'chat')) {
    case 'ollama':
      return {
        api: 'ollama',
        url: `${origin}/api/chat`,
        body: ({ request, without }) => ollamaBody(model, request, contextWindow, without),
        read: (response, call) => readOllama(response, call, new ThinkFilter(habit)),
      };
    case 'responses':
      return {
        api: 'responses',
        url: `${base}/responses`,
        body: ({ request, without }) => responsesBody(model, asTaken(request), official && breakpoints, without),
        read: readResponses,
      };
    case 'chat':
      return {
        api: 'chat',
        url: `${base}/chat/completions`,
        body: ({ request, without }) => chatBody(model, asTaken(request), dialect, without),
        read: (response, call) => readChat(response, call, new ThinkFilter(habit)),
      };
  }
}
