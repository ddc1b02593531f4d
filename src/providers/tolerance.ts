import { ModelFault } from '../app/fault.ts';
import type { ChatRequest } from '../app/ports.ts';
import { namedImages } from './without-images.ts';

/** A part of a request that some servers or models do not know, and that a reply can do without; or a switch. */
export type Extra =
  'temperature' | 'effort' | 'schema' | 'usage' | 'token_limit_name' | 'tools' | 'stream' | 'images' | 'cache';

/** What may be refused in a request to each kind of server. */
const EXTRAS = {
  chat: ['temperature', 'effort', 'schema', 'usage', 'cache', 'token_limit_name', 'tools', 'stream', 'images'],
  responses: ['temperature', 'effort', 'schema', 'stream', 'images'],
  ollama: ['temperature', 'effort', 'schema', 'images'],
  messages: ['effort', 'schema', 'images'],
  editor: ['temperature'],
} as const satisfies Readonly<Record<string, readonly Extra[]>>;
export type Api = keyof typeof EXTRAS;

/** How servers name each part, in the order in which they are looked for. */
const NAMED: readonly (readonly [Extra, RegExp])[] = [
  ['temperature', /temperature/i],
  ['cache', /prompt_cache|cache_control/i],
  ['stream', /must be verified to stream/i],
  ['tools', /must define tools|tools=|requires? tools/i],
  ['usage', /stream_options|include_usage/i],
  ['images', /image/i],
  ['effort', /reasoning|effort|thinking/i],
  ['schema', /response_format|json_?schema|structured|grammar|text\.format|output_config|output_format|schema/i],
  // Its name is changed only where the name is what was refused, not its value.
  [
    'token_limit_name',
    /^(?=.*max_(completion_)?tokens).*(unsupported|not supported|unrecogni[sz]ed|unknown|not permitted|unexpected|extra (inputs|fields))/is,
  ],
];

/** The highest output limit, in the words of OpenAI, Groq, and Anthropic, and of DeepSeek and Qwen. */
const MAX_OUTPUT =
  /at most (\d+) completion tokens|max_\w*tokens`? must be less than or equal to `?(\d+)|> (\d+), which is the maximum allowed number of output|max_\w*tokens\b.{0,60}\[\d+, ?(\d+)\]/i;

/** A request as a server takes it: `without` names the parts that are left out of its body. */
export interface Tolerated {
  readonly request: ChatRequest;
  readonly without: ReadonlySet<Extra>;
}

/**
 * Sends requests of one model to one server, and where that refuses a part that the reply can do without, sends the
 * request again without it. What a server has refused is left out from then on, once a try without it has succeeded (a
 * schema only for schemas of that name, and images of that request alone, since the next may have others), so the price
 * is paid once. Each further try leaves out one part more, so there are at most as many tries as parts; where the output
 * limit is refused with one that is lower, that is taken.
 */
export class Tolerance {
  readonly #api: Api;
  readonly #refused = new Set<string>();
  #mostOutput = Infinity;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * @param send sends the request without the parts given
   * @throws ModelFault as `send` does, once nothing is left to leave out
   */
  async send<T>(asked: ChatRequest, send: (tolerated: Tolerated) => Promise<T>): Promise<T> {
    const suspected = new Set<Extra>();
    for (;;) {
      const { request, without } = this.known(suspected.has('images') ? namedImages(asked) : asked, suspected);
      try {
        const answer = await send({ request, without });
        suspected.delete('images');
        for (const extra of suspected) this.#refused.add(keyOf(extra, asked));
        return answer;
      } catch (error) {
        if (!ModelFault.is(error, 'bad_request')) throw error;
        if (this.#hearsLimit(error.message)) continue;
        const refused = refusedPart(
          error.message,
          this.#extrasOf(asked).filter((extra) => !without.has(extra)),
        );
        if (refused === undefined) throw error;
        suspected.add(refused);
      }
    }
  }

  /** The request as it is sent as far as is known, with no more output than the server was heard to give. */
  known(asked: ChatRequest, suspected: ReadonlySet<Extra> = new Set()): Tolerated {
    const { reasoningTokens = 0, ...rest } = asked;
    const isWithin = asked.maxOutputTokens + reasoningTokens <= this.#mostOutput;
    return {
      request: isWithin ? asked : { ...rest, maxOutputTokens: this.#mostOutput },
      without: new Set([
        ...this.#extrasOf(asked).filter((extra) => this.#refused.has(keyOf(extra, asked))),
        ...suspected,
      ]),
    };
  }

  #extrasOf(request: ChatRequest): readonly Extra[] {
    return EXTRAS[this.#api].filter((extra) => HOLDS[extra]?.(request) ?? true);
  }

  #hearsLimit(message: string): boolean {
    const most = Number(MAX_OUTPUT.exec(message)?.slice(1).find(Boolean) ?? Infinity);
    if (most >= this.#mostOutput || most < 1) return false;
    this.#mostOutput = most;
    return true;
  }
}

const hasBlock = ({ messages }: ChatRequest, type: string): boolean =>
  messages.some(({ content }) => content.some((block) => block.type === type));

/** Whether a request has a part that not every one has. */
const HOLDS: Readonly<Partial<Record<Extra, (request: ChatRequest) => boolean>>> = {
  temperature: ({ temperature }) => temperature !== undefined,
  effort: ({ effort }) => effort !== undefined,
  schema: ({ jsonSchema }) => jsonSchema !== undefined,
  cache: ({ cache }) => cache !== undefined,
  tools: (request) => hasBlock(request, 'tool_call'),
  images: (request) => hasBlock(request, 'image'),
};

const keyOf = (extra: Extra, { jsonSchema }: ChatRequest): string =>
  extra === 'schema' ? `schema ${jsonSchema?.name ?? ''}` : extra;

function refusedPart(message: string, left: readonly Extra[]): Extra | undefined {
  const named = NAMED.find(([extra, pattern]) => left.includes(extra) && pattern.test(message));
  // Some servers refuse a schema without naming it; a reply by the prompt alone is better than none.
  return named?.[0] ?? (left.includes('schema') ? 'schema' : undefined);
}
