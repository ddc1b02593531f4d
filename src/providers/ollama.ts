import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import type { ListedModel } from './listed-model.ts';
import { streamFault } from './provider-errors.ts';
import { fetchServerInfo } from './http.ts';
import { isObject, objectsAt, textAt, type JsonObject } from '../core/text/json-value.ts';
import { outputLimit, systemText } from './openai-format.ts';
import type { ThinkFilter } from './think-filter.ts';
import type { OptionalPart } from './request-fallback.ts';
import { inputObject, userTurnText, toTurns, usageFrom } from './strict-turns.ts';

/**
 * The body of a request to Ollama's own endpoint (docs.ollama.com/api/chat). The OpenAI-compatible endpoint has no
 * parameter for the context window: by default, it silently drops the oldest messages beyond 4,096 tokens, and reports
 * the usage without them.
 */
export function ollamaBody(
  model: string,
  request: ChatRequest,
  numCtx: number | undefined,
  without: ReadonlySet<OptionalPart>,
): object {
  const { effort, jsonSchema, temperature } = request;
  const system = systemText(request);
  const messages = toTurns(request.messages).flatMap((turn): object[] => {
    if (turn.role === 'assistant') {
      const calls = turn.calls.map(({ name, json }) => ({ function: { name, arguments: inputObject(json) } }));
      return [{ role: 'assistant', content: turn.text, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    const results = turn.results.map(({ text }) => ({ role: 'tool', content: text }));
    const images = turn.parts.flatMap((part) => (part.type === 'image' ? [part.base64] : []));
    const content = userTurnText(turn);
    if (content === '' && images.length === 0) return results;
    return [...results, { role: 'user', content, ...(images.length > 0 && { images }) }];
  });
  return {
    model,
    stream: true,
    // Makes Ollama reject a prompt that is too long and state its context window. Versions before October 2025 ignore
    // this and drop the prompt's beginning.
    truncate: false,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(effort !== undefined && !without.has('effort') && { think: effort !== 'none' }),
    ...(jsonSchema && !without.has('schema') && { format: jsonSchema.schema }),
    options: {
      num_predict: outputLimit(request),
      ...(numCtx !== undefined && { num_ctx: numCtx }),
      ...(temperature !== undefined && !without.has('temperature') && { temperature }),
    },
  };
}

/** Reads a streamed reply: one JSON object per line. */
export async function* readOllama(response: Response, filter: ThinkFilter): AsyncGenerator<ChatChunk> {
  for await (const line of linesOf(response)) {
    const part: unknown = JSON.parse(line);
    if (!isObject(part)) throw new ModelFault('malformed', 'a line of the stream is not an object');
    if (typeof part['error'] === 'string') throw streamFault(undefined, part['error']);
    if (textAt(part, 'message', 'thinking')) yield* filter.separateThinking();
    yield* filter.take(textAt(part, 'message', 'content') ?? '');
    if (part['done'] !== true) continue;
    const isCut = part['done_reason'] === 'length';
    yield* filter.end(isCut);
    const { prompt_eval_count: input, eval_count: output } = part;
    if (typeof input === 'number' && input > 0) yield { type: 'usage', usage: usageFrom(input, output) };
    yield { type: 'end', ending: isCut ? 'length' : 'complete' };
    return;
  }
}

/** The lines that aren't blank. The SDK's stream would take a line of spaces, as a proxy may send it, for bad JSON. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  let buffered = '';
  const decoder = new TextDecoder();
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const piece of body) {
    buffered += decoder.decode(piece, { stream: true });
    const lines = buffered.split('\n');
    buffered = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (buffered.trim() !== '') yield buffered;
}

/**
 * Whether an entry of a model list may be Ollama's, whose names have a tag and whose owner is the name's namespace:
 * `library` by default, and an account for a model of Hugging Face.
 */
export const isOllamaEntry = (id: string, owner: unknown): boolean =>
  owner === 'library' || (typeof owner === 'string' && isTagged(id) && id.split('/').at(-2) === owner);

const isTagged = (id: string): boolean => id.slice(id.lastIndexOf('/') + 1).includes(':');

/**
 * An Ollama server's facts about a model: the context window that it was trained with (`/api/show`) and with which it's
 * loaded (`/api/ps`). Undefined if the server isn't Ollama.
 */
export async function ollamaFacts(
  origin: string,
  model: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Pick<ListedModel, 'isOllama' | 'loadedContext' | 'facts'> | undefined> {
  const fetchInfo = (path: string, body?: object): ReturnType<typeof fetchServerInfo> =>
    fetchServerInfo(`${origin}${path}`, {
      headers,
      signal,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  if (typeof (await fetchInfo('/api/version'))['version'] !== 'string') return undefined;
  const [shown, running] = await Promise.all([fetchInfo('/api/show', { model }), fetchInfo('/api/ps')]);
  const info = isObject(shown['model_info']) ? shown['model_info'] : {};
  const length = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1];
  const isNamed = ({ name, model: id }: JsonObject): boolean => name === model || id === model;
  const loaded = objectsAt(running, 'models').find(isNamed)?.['context_length'];
  const can = (what: string): boolean => Array.isArray(shown['capabilities']) && shown['capabilities'].includes(what);
  return {
    isOllama: true,
    ...(typeof loaded === 'number' && { loadedContext: loaded }),
    facts: {
      ...(typeof length === 'number' && { contextWindow: length }),
      takesImages: can('vision'),
      ...(can('thinking') && { efforts: ['none', 'medium'] }),
    },
  };
}
