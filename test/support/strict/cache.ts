/** A part of a prompt, in order: a content block or a message. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
  /** A cache marker: OpenAI's breakpoint, or Anthropic's `cache_control`. */
  readonly mark?: '5m' | '1h' | '30m';
  /** The end of the newest user message, where OpenAI places its own breakpoint. */
  readonly userEnd?: boolean;
}

export interface CacheUse {
  readonly read: number;
  readonly write: number;
  /** The part of `write` that is cached for an hour, at twice the price. */
  readonly hour: number;
}

/**
 * Minimum cacheable tokens: developers.openai.com …/prompt-caching, platform.claude.com …/prompt-caching (1,024
 * tokens).
 */
const MIN_CACHED_TOKENS = 1_024;
const MINUTE = 60_000;
const LIFETIMES_MS = { '5m': 5 * MINUTE, '30m': 30 * MINUTE, '1h': 60 * MINUTE } as const;
/** Number of blocks that Anthropic searches backward from a marker for an entry. */
const LOOK_BACK = 20;
const MAX_OPENAI_WRITES = 4;
const MAX_OPENAI_LOOKUPS = 80;

/** A server's prompt caches according to the vendors' rules; `now` is in milliseconds. */
export class PromptCache {
  readonly #now: () => number;
  /** Cached prefixes by text, with their expiry. */
  readonly #entries = new Map<string, { until: number; readonly life: number }>();
  /** Complete prompts, for caches that match prefixes. */
  readonly #prompts: { readonly text: string; until: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The longest common prefix with an earlier prompt, in steps of 128 tokens (models before GPT-5.6). */
  byPrefix(pieces: readonly Piece[]): CacheUse {
    const text = pieces.map((piece) => piece.text).join('');
    const total = sum(pieces);
    let most = 0;
    for (const known of this.#prompts) {
      if (known.until < this.#now()) continue;
      const common = commonLength(known.text, text);
      if (common > most) most = common;
    }
    this.#prompts.push({ text, until: this.#now() + 10 * MINUTE });
    const tokens = text === '' ? 0 : Math.floor(Math.floor((total * most) / text.length) / 128) * 128;
    return { read: tokens >= MIN_CACHED_TOKENS ? tokens : 0, write: 0, hour: 0 };
  }

  /**
   * GPT-5.6 and later: an entry must match exactly at one of the latest 80 breakpoints, and up to four are written;
   * `explicit` omits the one at the newest user message. Sources: openai 6.49 responses.d.ts, `prompt_cache_options`;
   * openai/codex#35300 (another last user message: nothing read, everything written).
   */
  byBreakpoints(key: string, pieces: readonly Piece[], explicit: boolean): CacheUse {
    const ends = pieces.flatMap((piece, at) => (piece.mark !== undefined || (!explicit && piece.userEnd) ? [at] : []));
    const writes = pieces
      .flatMap((piece, at) => (piece.mark === undefined ? [] : [at]))
      .slice(explicit ? -MAX_OPENAI_WRITES : 1 - MAX_OPENAI_WRITES);
    const newest = explicit ? undefined : pieces.findLastIndex((piece) => piece.userEnd);
    if (newest !== undefined && newest >= 0) writes.push(newest);
    return this.#use(key, pieces, ends.slice(-MAX_OPENAI_LOOKUPS), writes, () => '30m');
  }

  /** Anthropic: entries are written at markers, found within 20 blocks before one, and extended when read. */
  byMarks(pieces: readonly Piece[]): CacheUse {
    const marks = pieces.flatMap((piece, at) => (piece.mark === undefined ? [] : [at]));
    const lookups = marks
      .flatMap((at) => Array.from({ length: LOOK_BACK }, (_, back) => at - back))
      .filter((at) => at >= 0);
    return this.#use('', pieces, lookups, marks, (at) => pieces[at]!.mark ?? '5m');
  }

  #use(
    key: string,
    pieces: readonly Piece[],
    lookups: readonly number[],
    writes: readonly number[],
    lifeOf: (at: number) => keyof typeof LIFETIMES_MS,
  ): CacheUse {
    const now = this.#now();
    const name = (at: number): string =>
      `${key}\u0000${pieces
        .slice(0, at + 1)
        .map((piece) => piece.text)
        .join('\u0001')}`;
    const upTo = (at: number): number => sum(pieces.slice(0, at + 1));
    const found = [...new Set(lookups)]
      .sort((a, b) => b - a)
      .find((at) => (this.#entries.get(name(at))?.until ?? 0) >= now);
    const read = found === undefined ? 0 : upTo(found);
    if (found !== undefined) {
      const entry = this.#entries.get(name(found))!;
      entry.until = now + entry.life;
    }
    let write = 0;
    let hour = 0;
    let from = read;
    for (const at of [...writes].sort((a, b) => a - b)) {
      const end = upTo(at);
      if (end < MIN_CACHED_TOKENS) continue;
      const life = LIFETIMES_MS[lifeOf(at)];
      this.#entries.set(name(at), { until: now + life, life });
      if (end <= from) continue;
      write += end - from;
      if (lifeOf(at) === '1h') hour += end - from;
      from = end;
    }
    return { read, write, hour };
  }
}

const sum = (pieces: readonly Piece[]): number => pieces.reduce((all, { tokens }) => all + tokens, 0);

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
