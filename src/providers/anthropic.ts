import type { RawMessageStreamEvent, StopReason } from '@anthropic-ai/sdk/resources/messages/messages';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk } from '../app/ports.ts';
import type { Ending, Usage } from '../core/model/message.ts';
import { anthropicBody, anthropicPrompt } from './anthropic-request.ts';
import { ask, eventsOf, typeOf, valueOf } from './http.ts';
import { isRecord, listIn } from './json.ts';
import { anthropicListed } from './listed-model.ts';
import { remoteModel, serverAt, type RemoteModel, type RemoteSettings } from './remote-model.ts';
import { usageFrom } from './turns.ts';
import type { WatchedCall } from './watched-call.ts';

const OFFICIAL_URL = 'https://api.anthropic.com';
const VERSION = '2026-10-21';

/** A chat model over Anthropic's Messages endpoint. A last `/v1` of the base URL makes no difference. */
export function createAnthropicModel(settings: RemoteSettings): RemoteModel {
  const { model, apiKey = '' } = settings;
  const { origin, path } = serverAt(settings.baseUrl, OFFICIAL_URL);
  const base = `${origin}${path.replace(/\/v1$/, '')}`;
  const official = base === OFFICIAL_URL;
  const access = {
    headers: {
      'anthropic-version': VERSION,
      ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      // Gateways made for earlier versions of the API read the key from there.
      ...(apiKey !== '' && !official && { 'x-api-key': apiKey }),
    },
  };
  return remoteModel(settings, {
    provider: 'anthropic',
    api: 'messages',
    vendor: official ? 'Anthropic' : undefined,
    url: `${base}/v1/messages`,
    access,
    body: ({ request, without }) => anthropicBody(model, request, without),
    read: readMessages,
    list: async (call) => {
      const answer = await valueOf(await ask(`${base}/v1/models?limit=1000`, access, call.signal), call);
      return listIn(answer, 'data').flatMap((entry) => anthropicListed(entry) ?? []);
    },
    count: async (request, call) => {
      const body = JSON.stringify({ model, ...anthropicPrompt(request) });
      const answer = await valueOf(await ask(`${base}/v1/messages/count_tokens`, access, call.signal, body), call);
      const tokens = isRecord(answer) ? answer['input_tokens'] : undefined;
      if (typeof tokens !== 'number') throw new ModelFault('malformed', 'the server did not count');
      return tokens;
    },
  });
}

/**
 * Reads a streamed reply. Thinking blocks are dropped here, so they are neither shown nor stored; their tokens are in
 * the usage, since they are paid for.
 */
async function* readMessages(response: Response, call: WatchedCall): AsyncGenerator<ChatChunk> {
  const type = typeOf(response);
  if (!type.includes('event-stream'))
    throw new ModelFault('malformed', `the server answered with ${type === '' ? 'no type' : type}, not a stream`);
  let figures = {};
  let stop: StopReason | null = null;
  for await (const event of eventsOf(response, call) as AsyncIterable<RawMessageStreamEvent>) {
    if (event.type === 'message_start' || event.type === 'message_delta') {
      // The API corrects itself as the reply goes on; servers that imitate it leave figures out or send null.
      const usage = event.type === 'message_start' ? event.message.usage : event.usage;
      figures = { ...figures, ...Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value != null)) };
      if (event.type === 'message_delta') stop = event.delta.stop_reason ?? stop;
      yield* usageOf(figures);
    } else if (event.type === 'content_block_start') {
      const block = event.content_block;
      if (block.type === 'text' && block.text !== '') yield { type: 'text', text: block.text };
      else if (block.type === 'thinking' || block.type === 'redacted_thinking') yield { type: 'thinking' };
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      if (event.delta.text !== '') yield { type: 'text', text: event.delta.text };
    } else if (event.type === 'message_stop') {
      yield { type: 'end', ending: ending(stop) };
      return;
    }
  }
  if (stop !== null) yield { type: 'end', ending: ending(stop) };
}

/** `input_tokens` counts only what was neither read from nor written to the cache; the whole input is the sum. */
function* usageOf(figures: Readonly<Record<string, unknown>>): Generator<ChatChunk> {
  const of = (name: string, among: unknown = figures): number => {
    const value = isRecord(among) ? among[name] : undefined;
    return typeof value === 'number' ? value : 0;
  };
  const cachedInput = of('cache_read_input_tokens');
  const cacheWrite = of('cache_creation_input_tokens');
  const usage: Usage | undefined = usageFrom(of('input_tokens') + cachedInput + cacheWrite, of('output_tokens'), {
    reasoning: of('thinking_tokens', figures['output_tokens_details']),
    cachedInput,
    cacheWrite,
    cacheWriteHour: of('ephemeral_1h_input_tokens', figures['cache_creation']),
  });
  if (usage) yield { type: 'usage', usage };
}

function ending(stop: StopReason | null): Ending {
  if (stop === 'refusal') throw new ModelFault('content_refused', 'the model refused to answer');
  // A reason that a later version of the API adds: the reply has ended, and nothing says that it was cut.
  return stop === 'max_tokens' || stop === 'model_context_window_exceeded' ? 'length' : 'complete';
}
