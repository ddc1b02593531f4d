import type { ModelFault } from '../app/fault.ts';
import type { ChatRequest } from '../app/ports.ts';
import { withImageMentions } from './without-images.ts';

/** The default lifetime of cache entries at Anthropic. */
export const CACHE_LIFETIME_MS = 300_000;

/** An optional part of a request, or a way of sending it, that some servers or models reject. */
export type OptionalPart =
  | 'temperature'
  | 'effort'
  | 'schema'
  | 'usage'
  | 'token_limit_name'
  | 'tools'
  | 'calls'
  | 'stream'
  | 'images'
  | 'cache'
  | 'cache_lifetime';

/** Words by which an error names the rejected part. The first match counts, so specific patterns come first. */
const REJECTIONS: readonly (readonly [OptionalPart, RegExp])[] = [
  // DeepSeek, Kimi, and Gemini require the reasoning before a call, which isn't stored
  // (api-docs.deepseek.com/guides/thinking_mode).
  // Gemma's template has no place for results (huggingface/text-generation-inference#3198).
  ['calls', /reasoning_content|content\[\]\.thinking|thought_?signature|roles must alternate/i],
  ['temperature', /temperature/i],
  ['cache_lifetime', /\bttl\b/i],
  ['cache', /prompt_cache|cache_control/i],
  ['stream', /must be verified to stream/i],
  ['tools', /must define tools|tools=|requires? tools/i],
  ['usage', /stream_options|include_usage/i],
  ['images', /image/i],
  ['effort', /reasoning|effort|thinking/i],
  ['schema', /response_format|json_?schema|structured|grammar|text\.format|output_config|output_format|schema/i],
  ['token_limit_name', /max_(completion_)?tokens/i],
];
/** Signs that a server rejected the name of the token limit, and not its value. */
const UNKNOWN_NAME =
  /unsupported|not supported|unrecogni[sz]ed|unknown|not permitted|unexpected|extra (inputs|fields)/i;

/** The maximum output limit in messages of OpenAI, Groq, Anthropic, Ollama's cloud, DeepSeek, and Qwen. */
const MAX_OUTPUT =
  /at most (\d+) completion tokens|max_\w*tokens\b.{0,80}less than or equal to `?(\d+)|> (\d+), which is the maximum allowed number of output|maximum output tokens \(?(\d+)|max_?\w*tokens\b.{0,60}\[\d+, ?(\d+)\]/i;

/** An endpoint: OpenAI's Responses, Chat Completions, Ollama's own, Anthropic's Messages, or VS Code's models. */
export type Endpoint = 'responses' | 'chat' | 'ollama' | 'messages' | 'vscode';

/** The parts of a request that may be rejected. VS Code's models only get a temperature. */
function optionalPartsOf(request: ChatRequest, api: Endpoint): readonly OptionalPart[] {
  const blocks = request.messages.flatMap(({ content }) => content);
  const has = (type: string): boolean => blocks.some((block) => block.type === type);
  const extras: readonly (readonly [OptionalPart, boolean])[] = [
    ['temperature', request.temperature !== undefined && api !== 'messages'],
    ['effort', api !== 'vscode' && request.effort !== undefined],
    ['schema', api !== 'vscode' && request.jsonSchema !== undefined],
    ['usage', api === 'chat'],
    ['cache', (api === 'chat' || api === 'messages') && request.cache !== undefined],
    ['cache_lifetime', api === 'messages' && (request.cache?.idleMs ?? 0) > CACHE_LIFETIME_MS],
    ['token_limit_name', api === 'chat'],
    ['tools', api === 'chat' && has('tool_call')],
    ['calls', (api === 'chat' || api === 'messages') && has('tool_call')],
    ['stream', api === 'responses' || api === 'chat'],
    ['images', api !== 'vscode' && has('image')],
  ];
  return extras.flatMap(([extra, isSent]) => (isSent ? [extra] : []));
}

export type RequestFallback = ReturnType<typeof requestFallback>;

/**
 * Sends requests, and if the server rejects an optional part, sends them again without that part. Rejected parts are
 * omitted from then on, once an attempt without them has succeeded (schemas by name, and images only in that request,
 * because the next one may have others). Each further attempt omits another part, so they end at the latest when all
 * are omitted. If the server rejects the output limit and names a lower one, that one is used.
 */
export function requestFallback(endpoint: Endpoint, toFault: (error: unknown) => ModelFault) {
  const rejected = new Set<string>();
  let max = Infinity;

  /** The parts to omit from a request, as far as known. */
  const knownRejections = (request: ChatRequest): ReadonlySet<OptionalPart> =>
    new Set(optionalPartsOf(request, endpoint).filter((extra) => rejected.has(keyOf(extra, request))));

  /** The request with an output limit that the server supports. A lowered limit includes the reasoning. */
  const limited = (request: ChatRequest): ChatRequest => {
    const { reasoningTokens = 0, ...rest } = request;
    return request.maxOutputTokens + reasoningTokens <= max ? request : { ...rest, maxOutputTokens: max };
  };

  /** Adopts the output limit that a message states, if it's lower than the sent one. Returns whether it is. */
  const learnLimit = (message: string, { maxOutputTokens, reasoningTokens = 0 }: ChatRequest): boolean => {
    const stated = Number(MAX_OUTPUT.exec(message)?.slice(1).find(Boolean) ?? Infinity);
    if (stated >= maxOutputTokens + reasoningTokens || stated < 1) return false;
    max = Math.min(max, stated);
    return true;
  };

  /** `attempt` sends a request without the given parts. Throws its error as `ModelFault` if nothing is left to omit. */
  const send = async <T>(
    request: ChatRequest,
    attempt: (request: ChatRequest, without: ReadonlySet<OptionalPart>) => Promise<T>,
  ): Promise<T> => {
    const suspected = new Set<OptionalPart>();
    for (;;) {
      const omitted = new Set([...knownRejections(request), ...suspected]);
      const sent = limited(suspected.has('images') ? withImageMentions(request) : request);
      try {
        const answer = await attempt(sent, omitted);
        suspected.delete('images');
        for (const extra of suspected) rejected.add(keyOf(extra, request));
        return answer;
      } catch (error) {
        const fault = toFault(error);
        if (fault.reason !== 'bad_request') throw fault;
        if (learnLimit(fault.message, sent)) continue;
        const left = optionalPartsOf(request, endpoint).filter((extra) => !omitted.has(extra));
        const part = rejectedPart(fault.message, left);
        if (part === undefined) throw fault;
        suspected.add(part);
      }
    }
  };

  return { send, limited, knownRejections };
}

const keyOf = (extra: OptionalPart, { jsonSchema }: ChatRequest): string =>
  extra === 'schema' ? `schema ${jsonSchema?.name ?? ''}` : extra;

function rejectedPart(message: string, left: readonly OptionalPart[]): OptionalPart | undefined {
  for (const [extra, pattern] of REJECTIONS) {
    if (!left.includes(extra) || !pattern.test(message)) continue;
    if (extra !== 'token_limit_name' || UNKNOWN_NAME.test(message)) return extra;
  }
  // Some servers reject a schema without naming it. A reply guided by the prompt alone is better than none. MiniMax,
  // Fireworks, and Kimi reject the lifetime of cache breakpoints as "invalid params" (BYK/loreai#560).
  return (['schema', 'cache_lifetime'] as const).find((extra) => left.includes(extra));
}
