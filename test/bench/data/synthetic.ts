import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { Random } from '../../support/random.ts';

const AREAS = ['billing', 'search', 'upload', 'login', 'export', 'cache', 'queue', 'report', 'session', 'webhook'];
const PARTS = ['handler', 'store', 'client', 'worker', 'parser', 'router', 'mapper', 'reader', 'writer', 'index'];
const VALUES = ['50', '120', '300', '8', '15', '64', '2', '900', '30', '4096'];
const SETTINGS = ['timeoutMs', 'batchSize', 'maxRetries', 'poolSize', 'pageLimit', 'cacheTtl', 'chunkBytes'];

/** User requests in the languages that developers mix; `{f}` is a file, `{n}` a name, `{a}` an area. */
const ASKS = [
  'Could you have a look at {f}? The {a} page feels slow when the list is long.',
  'next: {n} in {f}',
  'Why is {n} called twice when I open the {a} view?',
  'ok. what about {f}, does it do the same thing?',
  'Can you walk me through how {n} gets its data?',
  '¿Puedes revisar {f}? La vista de {a} tarda mucho con listas largas.',
  'Kannst du dir {f} ansehen? Mir ist nicht klar, woher {n} seine Daten bekommt.',
  'Tu peux regarder {f} ? Je ne comprends pas ce que fait {n}.',
  '{f} を見てもらえますか。{n} の動きがよく分かりません。',
  '看一下 {f} 好吗？{n} 的数据是从哪里来的？',
];
/** Decisions about settings. A later decision about the same setting replaces the earlier one. */
const DECISIONS = [
  "let's go with {s} = {v}",
  'We use {v} for {s} from now on.',
  'decided: {s} is {v}, not what we had',
  'nehmen wir {v} für {s}',
  'usemos {v} para {s}',
];
const TELLS = [
  'I read {f} first and followed the calls from there.',
  'The function {n} takes the rows, turns each into an object and hands the list on.',
  'It is reached from two places, once for the page and once for the export.',
  'Most of the time goes into building the same map over and over.',
  'A comment at the top speaks of an older version with a single loop.',
  'The rest of {f} deals with headings and widths.',
  'What comes out has the same shape as what went in, one entry for each row.',
  'Next to it there is a helper that does almost the same for the {a} side.',
];

/**
 * A plausible developer session with questions, answers, code, tool output, and decisions. The same seed gives the same
 * session.
 */
export function syntheticSession(count: number, seed = 1): TranscriptMessage[] {
  const random = new Random(seed);
  const messages: TranscriptMessage[] = [];
  while (messages.length < count) {
    const place = somewhere(random);
    const ask = fill(random.pick(ASKS), place);
    const decides = random.next() < 0.15;
    const setting = { s: random.pick(SETTINGS), v: random.pick(VALUES) };
    messages.push({ role: 'user', text: decides ? `${ask}\n${fill(random.pick(DECISIONS), setting)}` : ask });
    messages.push({ role: 'assistant', text: prose(random, place, 2) });
    if (random.next() < 0.6) messages.push({ role: 'tool', text: toolOutput(random, place) });
    messages.push({ role: 'assistant', text: `${prose(random, place, 3)}\n\n${code(random, place)}` });
  }
  return messages.slice(0, count);
}

interface Place extends Readonly<Record<string, string>> {
  readonly f: string;
  readonly n: string;
  readonly a: string;
}

function somewhere(random: Random): Place {
  const a = random.pick(AREAS);
  const part = random.pick(PARTS);
  const verb = random.pick(['load', 'build', 'merge', 'render', 'collect']);
  return { a, f: `src/${a}/${part}.ts`, n: `${verb}${part[0]!.toUpperCase()}${part.slice(1)}` };
}

const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w)\}/g, (whole, key: string) => values[key] ?? whole);

const prose = (random: Random, place: Place, sentences: number): string =>
  Array.from({ length: sentences + random.below(4) }, () => fill(random.pick(TELLS), place)).join(' ');

function code(random: Random, { n, a }: Place): string {
  const body = Array.from(
    { length: 4 + random.below(16) },
    (_, line) => `  const row${line} = rows.get(${random.below(900)}) ?? empty${random.below(9)};`,
  );
  return [
    '```ts',
    `export function ${n}(rows: Rows): ${a}Result {`,
    ...body,
    '  return collect(rows);',
    '}',
    '```',
  ].join('\n');
}

function toolOutput(random: Random, { f, n }: Place): string {
  const lines = Array.from({ length: 10 + random.below(50) }, (_, line) => {
    const at = `${10 + (line % 50)}:${10 + random.below(49)}`;
    return random.next() < 0.5
      ? `  ${line} | ${n}(${random.below(999)}) ${f}`
      : `[${at}] ok ${n} took ${random.below(90)} ms`;
  });
  return ['```', `$ run ${f}`, ...lines, `${random.below(300)} passed`, '```'].join('\n');
}
