import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import { streamFault } from './fault-map.ts';
import { ask, linesOf, valueOf, type ServerAccess } from './http.ts';
import { isRecord, listIn, objectIn } from './json.ts';
import type { ListedModel } from './listed-model.ts';
import type { ThinkFilter } from './think-filter.ts';
import type { Extra } from './tolerance.ts';
import { inputObject, outputLimit, plainText, systemText, toTurns, usageFrom } from './turns.ts';
import type { WatchedCall } from './watched-call.ts';

/**
 * The body of a request to Ollama's own endpoint (docs.ollama.com/api/chat). Its OpenAI-compatible one takes no context
 * length: it reads 4,096 tokens by default, drops the oldest messages without a word, and reports what it read.
 */
export function ollamaBody(
  model: string,
  request: ChatRequest,
  numCtx: number | undefined,
  without: ReadonlySet<Extra>,
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
    const content = plainText(turn);
    if (content === '' && images.length === 0) return results;
    return [...results, { role: 'user', content, ...(images.length > 0 && { images }) }];
  });
  return {
    model,
    stream: true,
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

/** Reads a streamed reply: one JSON object a line. */
export async function* readOllama(
  response: Response,
  call: WatchedCall,
  filter: ThinkFilter,
): AsyncGenerator<ChatChunk> {
  for await (const line of linesOf(response, call)) {
    if (line.trim() === '') continue;
    const part: unknown = JSON.parse(line);
    if (!isRecord(part)) throw new ModelFault('malformed', 'a line of the stream is not an object');
    if (typeof part['error'] === 'string') throw streamFault(undefined, part['error']);
    const { thinking, content } = objectIn(part, 'message');
    if (typeof thinking === 'string' && thinking !== '') yield* filter.apart();
    if (typeof content === 'string') yield* filter.take(content);
    if (part['done'] !== true) continue;
    const isCut = part['done_reason'] === 'length';
    yield* filter.end(isCut);
    const usage = usageFrom(part['prompt_eval_count'], part['eval_count']);
    if (usage) yield { type: 'usage', usage };
    yield { type: 'end', ending: isCut ? 'length' : 'complete' };
    return;
  }
}

/**
 * What an Ollama server says of a model: what it was made for (`/api/show`), and the context that it is loaded with
 * (`/api/ps`). Undefined where the server is no Ollama.
 */
export async function ollamaFacts(
  origin: string,
  model: string,
  { headers }: ServerAccess,
  call: WatchedCall,
): Promise<Pick<ListedModel, 'isOllama' | 'loadedContext' | 'facts'> | undefined> {
  const told = async (path: string, body?: object): Promise<unknown> => {
    try {
      const asked = ask(`${origin}${path}`, { headers }, call.signal, body && JSON.stringify(body));
      return await valueOf(await asked, call);
    } catch {
      return undefined;
    }
  };
  const version = await told('/api/version');
  if (!isRecord(version) || typeof version['version'] !== 'string') return undefined;
  const [shown, running] = await Promise.all([told('/api/show', { model }), told('/api/ps')]);
  const info = Object.entries(objectIn(shown, 'model_info'));
  const length = info.find(([name]) => name.endsWith('.context_length'))?.[1];
  const isMine = (one: Readonly<Record<string, unknown>>): boolean => one['name'] === model || one['model'] === model;
  const loaded = listIn(running, 'models').filter(isRecord).find(isMine)?.['context_length'];
  const can = (what: string): boolean => listIn(shown, 'capabilities').includes(what);
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
