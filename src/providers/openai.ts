import OpenAI from 'openai';
import * as sdkErrors from 'openai/core/error';
import { ModelFault } from '../app/fault.ts';
import { modelInfo } from '../core/tokens/model-info.ts';
import { nonApiFault } from './provider-errors.ts';
import { parseBaseUrl } from './base-url.ts';
import { CLIENT_OPTIONS, withoutCustomHeaders } from './http.ts';
import { isObject, objectsAt } from '../core/text/json-value.ts';
import { parseOpenAiListedModel, type ListedModel, type ListingModel } from './listed-model.ts';
import { serverFacts } from './server-facts.ts';
import { ollamaBody, readOllama } from './ollama.ts';
import { chatBody, readChat, type ChatDialect } from './openai-chat.ts';
import { readResponses, responsesBody } from './openai-responses.ts';
import { ThinkFilter, thinkingHabit } from './think-filter.ts';
import { remoteModel, type RemoteSettings } from './remote-model.ts';

const OFFICIAL_URL = 'https://api.openai.com/v1';

/** A chat model for OpenAI's Responses endpoint, Chat Completions, or Ollama's own endpoint, with its own client. */
export function createOpenAiModel(settings: RemoteSettings & { readonly provider?: string }): ListingModel {
  const { model, provider = 'openai', apiKey = '', contextWindow } = settings;
  const { origin, url, query, vendor } = serverAt(settings.baseUrl);
  const isOfficial = vendor === 'openai';
  const endpoint = settings.api ?? (isOfficial ? 'responses' : 'chat');
  const habit = thinkingHabit(model);
  const { breakpoints = false, efforts } = modelInfo(model);
  const dialect: ChatDialect = {
    official: isOfficial,
    breakpoints,
    forwardsBreakpoints: vendor === 'openrouter' && /claude/i.test(model),
  };
  const client = withoutCustomHeaders(
    () =>
      new OpenAI({
        // The SDK requires a key. Without one, the authorization header is removed.
        apiKey: apiKey === '' ? 'none' : apiKey,
        baseURL: url,
        defaultQuery: query,
        defaultHeaders: authHeaders(apiKey, vendor),
        organization: null,
        project: null,
        ...CLIENT_OPTIONS,
      }),
  );
  const bearer: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  return remoteModel(settings, {
    provider,
    endpoint,
    isOfficial,
    errors: sdkErrors,
    // OpenAI's reasoning models only accept a temperature if reasoning is disabled.
    adapt: ({ temperature, ...request }) =>
      isOfficial && efforts !== undefined && request.effort !== 'none' ? request : { ...request, temperature },
    body: (request, without) => {
      if (endpoint === 'ollama') return ollamaBody(model, request, contextWindow, without);
      return endpoint === 'responses'
        ? responsesBody(model, request, isOfficial && breakpoints, without)
        : chatBody(model, request, dialect, without);
    },
    post: (body, signal) => {
      const path = { ollama: `${origin}/api/chat`, responses: '/responses', chat: '/chat/completions' }[endpoint];
      return client.post(path, { body, signal, stream: true }).asResponse();
    },
    read: (response, call) => {
      if (endpoint === 'responses') return readResponses(response, call);
      const filter = new ThinkFilter(habit);
      return endpoint === 'ollama' ? readOllama(response, filter) : readChat(response, call, filter);
    },
    list: async (signal) => {
      const models: ListedModel[] = [];
      const { data: answer, response } = await client.get('/models', { signal }).withResponse();
      if (typeof answer === 'string') throw nonApiFault(response, answer);
      // Together sends the list without an object around it.
      for (const entry of objectsAt(isObject(answer) ? answer['data'] : answer)) {
        const listed = parseOpenAiListedModel(entry);
        if (!listed) continue;
        // Ollama also accepts names without the tag `latest`.
        const isWanted = !isOfficial && (listed.id === model || listed.id === `${model}:latest`);
        const init = { headers: bearer, signal };
        const facts = isWanted && (await serverFacts({ origin, url }, listed.id, entry['owned_by'], init));
        models.push(facts ? { ...listed, ...facts, id: model } : listed);
      }
      return models;
    },
  });
}

type Vendor = 'openai' | 'azure' | 'openrouter' | 'other';

/** The parts of an address. A plain host, such as Ollama's `http://localhost:11434`, gets the path `/v1`. */
function serverAt(baseUrl: string | undefined) {
  const given = baseUrl === undefined || baseUrl.trim() === '' ? OFFICIAL_URL : baseUrl;
  const parsed = parseBaseUrl(given);
  if (!parsed) throw new ModelFault('invalid_base_url', 'the base URL is not an http or https address');
  const { origin, path, query } = parsed;
  const { hostname } = new URL(origin);
  const vendor: Vendor = /(?:^|\.)api\.openai\.com$/.test(hostname)
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
  // Azure expects keys in a separate header; the usual one is for Entra tokens.
  return vendor === 'azure' ? { 'api-key': apiKey } : {};
}
