import { ModelFault } from '../app/fault.ts';

/** A part of a request that some servers or models do not know, and that a reply can do without. */
export type Extra = 'temperature' | 'effort' | 'schema' | 'usage' | 'token_limit_name';

const NAMED: readonly (readonly [Extra, RegExp])[] = [
  ['temperature', /temperature/i],
  ['effort', /reasoning|effort|thinking/i],
  ['usage', /stream_options|include_usage/i],
  ['schema', /response_format|json_?schema|structured|grammar|text\.format|output_config|output_format|schema/i],
  ['token_limit_name', /max_(completion_)?tokens/i],
];
/** The limit's name is changed only where the name is what was refused, not its value. */
const UNKNOWN_NAME =
  /unsupported|not supported|unrecogni[sz]ed|unknown|not permitted|unexpected|extra (inputs|fields)/i;

/**
 * Sends a request, and where the server refuses a part of it that the reply can do without, sends it again without
 * that part. What a server has refused is left out from then on (a schema only for schemas of that name), so the
 * price is paid once. Each further try leaves out one part more, so there are at most as many tries as parts.
 */
export class Tolerance {
  readonly #refused = new Set<string>();

  /**
   * @param offered parts that the request carries
   * @param schemaName name of the request's schema, where it has one
   * @param send sends the request without the parts given
   * @throws ModelFault as `send` does, once nothing is left to leave out
   */
  async send<T>(
    offered: readonly Extra[],
    schemaName: string | undefined,
    send: (without: ReadonlySet<Extra>) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const without = this.without(offered, schemaName);
      try {
        return await send(without);
      } catch (error) {
        const left = offered.filter((extra) => !without.has(extra));
        const refused = ModelFault.is(error, 'bad_request') ? refusedPart(error.message, left) : undefined;
        if (refused === undefined) throw error;
        this.#refused.add(keyOf(refused, schemaName));
      }
    }
  }

  /** What of a request is left out, as far as is known. */
  without(offered: readonly Extra[], schemaName: string | undefined): ReadonlySet<Extra> {
    return new Set(offered.filter((extra) => this.#refused.has(keyOf(extra, schemaName))));
  }
}

const keyOf = (extra: Extra, schemaName: string | undefined): string =>
  extra === 'schema' ? `schema ${schemaName ?? ''}` : extra;

function refusedPart(message: string, left: readonly Extra[]): Extra | undefined {
  for (const [extra, pattern] of NAMED) {
    if (!left.includes(extra) || !pattern.test(message)) continue;
    if (extra !== 'token_limit_name' || UNKNOWN_NAME.test(message)) return extra;
  }
  // Some servers refuse a schema without naming it; a reply by the prompt alone is better than none.
  return left.includes('schema') ? 'schema' : undefined;
}
