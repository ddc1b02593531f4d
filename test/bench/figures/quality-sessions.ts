import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { compressAtOnce, sentText, tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { sharedFile, type RealTranscript } from '../data/real-transcripts.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

const referenceSchema = v.array(
  v.object({ src: v.string(), boundary: v.number(), identifiers: v.array(v.string()), quotes: v.array(v.string()) }),
);

/** Sessions with more messages must reach the promised reduction. */
const LONG = 100;

/** The shares that extractive compression keeps in real sessions: identifiers and quotes at 10%, key events at 20%. */
export async function measureSessions(context: BenchContext): Promise<Measured> {
  if (context.sessions.length === 0) {
    return { figures: [], notes: ['Real sessions are not scored: the shared transcripts are absent.'] };
  }
  const figures = [...(await continuation(context)), ...(await reduction(context))];
  return { figures };
}

/** The shares of a real compaction's identifiers and quotes that are also in the context at 10% of the tokens. */
async function continuation({ sessions, counter, print }: BenchContext): Promise<Figure[]> {
  const file = sharedFile('continuation_refs.json');
  if (file === undefined) return [];
  const sums = { identifiers: 0, ofIdentifiers: 0, quotes: 0, ofQuotes: 0 };
  for (const { src, boundary, identifiers, quotes } of v.parse(
    referenceSchema,
    JSON.parse(readFileSync(file, 'utf8')),
  )) {
    const session = sessions.find(({ name }) => `${name}.jsonl` === src);
    if (!session) continue;
    print(`continuation of ${session.name}`);
    // The compaction's own prompt and analysis don't belong to the session.
    const before = session.messages
      .slice(0, boundary)
      .filter(({ text }) => !/^(Your task is to create a detailed summary|<analysis>)/.test(text));
    const text = sentText(await compressAtOnce(before, Math.floor(tokensOf(before, counter) / 10), counter));
    const running = runningText(text);
    sums.identifiers += identifiers.filter((one) => running.includes(one)).length;
    sums.ofIdentifiers += identifiers.length;
    sums.quotes += quotes.filter((one) => text.includes(one)).length;
    sums.ofQuotes += quotes.length;
  }
  const guard = { worse: 'lower', margin: 0.03 } as const;
  return [
    figure(
      'quality.continuation.identifiers',
      'identifiers of real compactions at 10 % of the tokens',
      sums.identifiers / sums.ofIdentifiers,
      'share',
      { target: { atLeast: 0.8 }, guard },
    ),
    figure(
      'quality.continuation.quotes',
      'quotes of real compactions at 10 % of the tokens',
      sums.quotes / sums.ofQuotes,
      'share',
      { target: { atLeast: 0.95 }, guard },
    ),
  ];
}

/** Lines with at least four plain words and no more code-like tokens than words. A bare list of names doesn't count. */
function runningText(text: string): string {
  return text
    .split('\n')
    .filter((line) => {
      const words = line.split(/\s+/).filter((word) => word !== '');
      const plain = words.filter(
        (word) => /^[("'“]?\p{L}{2,}[)"'”.,;:!?]*$/u.test(word) && !/\p{Ll}\p{Lu}/u.test(word),
      );
      const code = words.filter((word) => /[_/.()\\`<>{}=]\S|\p{Ll}\p{Lu}/u.test(word));
      return plain.length >= 4 && plain.length >= code.length;
    })
    .join('\n');
}

/** Compresses each long session to a fifth of its tokens, and measures its actual size and its key events. */
async function reduction(context: BenchContext): Promise<Figure[]> {
  const long = context.sessions.filter(({ messages }) => messages.length > LONG);
  return [
    ...(await reduced(
      'developers',
      "developers' sessions",
      long.filter(({ isDeveloper }) => isDeveloper),
      context,
    )),
    ...(await reduced(
      'meetings',
      'meetings',
      long.filter(({ isDeveloper }) => !isDeveloper),
      context,
    )),
  ];
}

async function reduced(
  id: string,
  what: string,
  sessions: readonly RealTranscript[],
  { counter, print }: BenchContext,
): Promise<Figure[]> {
  let least = 1;
  let worst = 1;
  let lasting = 1;
  let mostUnlisted = 0;
  let eventTokens = 0;
  let tokens = 0;
  for (const { name, messages } of sessions) {
    print(`reduction of ${name}`);
    const result = await compressAtOnce(messages, Math.floor(tokensOf(messages, counter) / 5), counter);
    const text = sentText(result);
    // Merged and superseded events aren't meant to be sent, even if their quotes are in the context.
    const current = result.events.filter(({ status }) => status === 'active' || status === 'dropped');
    const present = current.filter(({ quote }) => text.includes(quote)).length;
    const unlisted = result.events.filter(({ status }) => status === 'dropped').length;
    const last = current.filter(({ importance }) => importance === 3);
    const lastingPresent = last.filter(({ quote }) => text.includes(quote)).length;
    least = Math.min(least, 1 - result.tokens.after / result.tokens.before);
    worst = Math.min(worst, present / Math.max(1, current.length));
    lasting = Math.min(lasting, last.length === 0 ? 1 : lastingPresent / last.length);
    mostUnlisted = Math.max(mostUnlisted, unlisted / Math.max(1, result.events.length));
    eventTokens += current.reduce((sum, { quote }) => sum + counter.text(quote), 0);
    tokens += result.tokens.before;
  }
  const one = (name: string, label: string, value: number, rest: Pick<Figure, 'target' | 'guard'>): Figure =>
    figure(`quality.reduction.${id}.${name}`, `${sessions.length} ${what}: ${label}`, value, 'share', { ...rest });
  return [
    one('least', 'least reduction', least, { target: { atLeast: 0.8 }, guard: { worse: 'lower', margin: 0.01 } }),
    one('kept', 'current key events in the context byte for byte, worst session', worst, {
      target: { atLeast: 0.95 },
      guard: { worse: 'lower', margin: 0.02 },
    }),
    one('lasting', 'of these the lasting ones, worst session', lasting, {
      target: { atLeast: 0.95 },
      guard: { worse: 'lower', margin: 0.02 },
    }),
    one('unlisted', 'key events that the ledger leaves to the summaries, most in a session', mostUnlisted, {}),
    one('eventTokens', 'tokens of key events against all', eventTokens / tokens, {}),
  ];
}
