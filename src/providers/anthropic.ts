import * as sdkErrors from '@anthropic-ai/sdk/core/error';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import { Messages, type RawMessageStreamEvent, type StopReason } from '@anthropic-ai/sdk/resources/messages/messages';
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { Models } from '@anthropic-ai/sdk/resources/models';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk } from '../app/ports.ts';
import type { Ending } from '../core/model/message.ts';
import { usageFrom } from './strict-turns.ts';
import { anthropicBody, anthropicPrompt } from './anthropic-request.ts';
import { parseBaseUrl } from './base-url.ts';
import { CLIENT_OPTIONS, detectJson, withoutCustomHeaders } from './http.ts';
import { parseAnthropicListedModel, type ListedModel, type ListingModel } from './listed-model.ts';
import { isObject } from '../core/text/json-value.ts';
import { nonApiFault } from './provider-errors.ts';
import { remoteModel, type RemoteSettings } from './remote-model.ts';
import type { WatchedCall } from './watched-call.ts';

const OFFICIAL_URL = 'https://api.anthropic.com';

/** A chat model for Anthropic's Messages endpoint, with its own client. */
export function createAnthropicModel(settings: RemoteSettings): ListingModel {
  const { model, apiKey = '' } = settings;
  const baseURL = serverUrl(settings.baseUrl);
  const isOfficial = baseURL === OFFICIAL_URL;
  const client = withoutCustomHeaders(
    () =>
      new AnthropicClient({
        apiKey: apiKey === '' ? 'none' : apiKey,
        baseURL,
        // Gateways for older versions of the API read the key from this header.
        ...(!isOfficial && apiKey !== '' && { defaultHeaders: { 'x-api-key': apiKey } }),
        ...CLIENT_OPTIONS,
      }),
  );
  return remoteModel(settings, {
    provider: 'anthropic',
    endpoint: 'messages',
    isOfficial,
    errors: sdkErrors,
    body: (request, without) => anthropicBody(model, request, without),
    post: (body, signal) => client.post('/v1/messages', { body, signal, stream: true }).asResponse(),
    read: (response, call) => readMessages(response, call, client),
    list: async (signal) => {
      const models = new Map<string, ListedModel>();
      for await (const page of (await client.models.list({ limit: 1000 }, { signal })).iterPages()) {
        const known = models.size;
        for (const model of page.getPaginatedItems().flatMap((entry) => parseAnthropicListedModel(entry) ?? []))
          models.set(model.id, model);
        // A gateway may ignore the position and send the same page again.
        if (models.size === known) break;
      }
      return [...models.values()];
    },
    count: async (request, without, signal) => {
      const prompt = { model, ...anthropicPrompt(request, without) };
      return (await client.messages.countTokens(prompt, { signal })).input_tokens;
    },
  });
}

/** The figures of a reply's usage by their names in the API, which updates them during the reply. */
type Figures = Record<string, number>;

/** Reads a streamed reply. Thinking is neither shown nor stored, but its tokens are in the usage: they are paid for. */
async function* readMessages(answer: Response, call: WatchedCall, client: AnthropicClient): AsyncGenerator<ChatChunk> {
  const { isJson, response } = await detectJson(answer);
  if (isJson) throw nonApiFault(answer, await response.text());
  const figures: Figures = {};
  let stop: StopReason | null = null;
  for await (const event of Stream.fromSSEResponse<RawMessageStreamEvent>(response, call.controller, client)) {
    if (event.type === 'content_block_start' && /thinking$/.test(event.content_block.type)) yield { type: 'thinking' };
    if (event.type === 'message_start') {
      updateFigures(figures, event.message.usage);
      yield* usageOf(figures);
    } else if (event.type === 'content_block_start' && event.content_block.type === 'text') {
      if (event.content_block.text !== '') yield { type: 'text', text: event.content_block.text };
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      if (event.delta.text !== '') yield { type: 'text', text: event.delta.text };
    } else if (event.type === 'message_delta') {
      updateFigures(figures, event.usage);
      stop = event.delta.stop_reason ?? stop;
      yield* usageOf(figures);
    } else if (event.type === 'message_stop') {
      yield { type: 'end', ending: ending(stop) };
      return;
    }
  }
  if (stop !== null) yield { type: 'end', ending: ending(stop) };
}

/** Updates reported figures. Servers that imitate the API omit some or send null, which leaves the known values. */
function updateFigures(figures: Figures, usage: object | undefined): void {
  const all: Readonly<Record<string, unknown>> = { ...usage };
  const groups = [all, all['output_tokens_details'], all['cache_creation']].filter(isObject);
  for (const [name, value] of groups.flatMap(Object.entries<unknown>))
    if (typeof value === 'number') figures[name] = value;
}

/** `input_tokens` excludes tokens that were read from or written to the cache; the total input is the sum. */
function* usageOf(figures: Figures): Generator<ChatChunk> {
  const { cache_read_input_tokens: cachedInput = 0, cache_creation_input_tokens: cacheWrite = 0 } = figures;
  const input = (figures['input_tokens'] ?? 0) + cachedInput + cacheWrite;
  // Servers that don't count tokens send zeros.
  if (input <= 0) return;
  const { output_tokens: output, thinking_tokens: reasoning, ephemeral_1h_input_tokens: cacheWriteHour } = figures;
  yield { type: 'usage', usage: usageFrom(input, output, { reasoning, cachedInput, cacheWrite, cacheWriteHour }) };
}

function ending(stop: StopReason | null): Ending {
  switch (stop) {
    case 'refusal':
      throw new ModelFault('content_refused', 'the model refused to answer');
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    default:
      // An unknown reason of a later version of the API. The reply has ended, and nothing suggests that it was cut off.
      return 'complete';
  }
}

function serverUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl.trim() === '') return OFFICIAL_URL;
  const parsed = parseBaseUrl(baseUrl);
  if (!parsed) throw new ModelFault('invalid_base_url', 'the base URL is not an http or https address');
  return `${parsed.origin}${parsed.path.replace(/\/v1$/, '')}`;
}

/** Anthropic's client with only the resources in use, which takes 185 KB of the bundle instead of 579 KB. */
export class AnthropicClient extends BaseAnthropic {
  readonly messages: Messages = new Messages(this);
  readonly models: Models = new Models(this);
}
