/**
 * Trains the two linear models of key-event detection and writes src/core/events/weights.ts.
 *
 *   node scripts/events/train.ts [--write] [--lessons] [--verbose] [LABELS.jsonl ...]
 *
 * LABELS hold one message a line: {source, role, before, text, agreed: [{start,end,kinds}], single: [{start,end,kind}]}.
 * Readings (readings.jsonl, offsets alone) mark spans in the transcripts of $THREADKEEPER_DATA/dev, when they are there.
 * The lessons in test/fixtures/events/lessons are always read too. Prints figures by cross-validation that leaves out one
 * source (a person's or a project's transcripts) at a time, then trains on everything. Deterministic.
 */
import fs from 'node:fs';
import path from 'node:path';
import { analyse, type Analysis } from '../../src/core/events/analyse.ts';
import { choose, THRESHOLDS } from '../../src/core/events/choose.ts';
import { FEATURES } from '../../src/core/events/feature-names.ts';
import type { Model, Weights } from '../../src/core/events/linear-model.ts';
import { KEY_EVENT_KINDS } from '../../src/core/model/key-event.ts';
import type { KeyEventKind } from '../../src/core/model/key-event.ts';
import type { Role } from '../../src/core/model/message.ts';
import { atOnce } from '../../src/core/pace/steps.ts';
import { readLessons, readReadings } from './lessons.ts';
import type { Labelled } from './lessons.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const F = FEATURES.length;
const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith('--'));

interface Sample {
  readonly item: Labelled;
  readonly group: string;
  readonly weight: number;
  readonly analysis: Analysis;
}
interface Row {
  readonly on: readonly number[];
  readonly user: boolean;
  readonly y: number;
  readonly kinds: readonly KeyEventKind[];
  readonly weight: number;
}
interface Span {
  readonly start: number;
  readonly end: number;
}

const hits = (gold: Span, found: Span): boolean =>
  Math.min(gold.end, found.end) - Math.max(gold.start, found.start) >
    0.5 * Math.min(gold.end - gold.start, found.end - found.start) &&
  found.end - found.start <= Math.max(4 * (gold.end - gold.start), 300);

/** Sources by whose they are: the sessions of one project are one source. */
const groupOf = (source: string): string =>
  source
    .replace(/^specstory-/, '')
    .split(/__|-pt__/)[0]!
    .replace('agente-bsc', 'agente');

function sample(item: Labelled, group: string, weight: number): Sample {
  return { item, group, weight, analysis: atOnce(analyse({ role: item.role, text: item.text }, item.before)) };
}

function rowsOf({ item, analysis, weight }: Sample): Row[] {
  return analysis.candidates.map(({ segment, traits }) => {
    const agreed = item.agreed.filter((gold) => hits(gold, segment));
    const single = item.single.filter((gold) => hits(gold, segment));
    const kinds = agreed.length > 0 ? agreed.flatMap((gold) => gold.kinds) : single.map((gold) => gold.kind);
    return {
      on: [...traits.features],
      // As `choose` weighs it.
      user: item.role === 'user' && !analysis.speech.named,
      y: kinds.length > 0 ? 1 : 0,
      kinds,
      weight: weight * (agreed.length > 0 ? 1 : single.length > 0 ? 0.5 : 1),
    };
  });
}

/** Columns of a row: shared by all speakers, and once more for the one who speaks, so that what holds for both is learned from both. */
const columns = (row: Row): number[] => [...row.on, ...row.on.map((i) => i + (row.user ? F : 2 * F))];

/** Logistic regression by Adam on the full batch, L2 on all but the biases. */
function logistic(
  rows: readonly { cols: readonly number[]; y: number; weight: number }[],
  l2: number,
  steps = 400,
): Float64Array {
  const n = 3 * F;
  const w = new Float64Array(n);
  const m = new Float64Array(n);
  const v = new Float64Array(n);
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  for (let step = 1; step <= steps; step++) {
    const g = new Float64Array(n);
    for (const row of rows) {
      let z = 0;
      for (const i of row.cols) z += w[i]!;
      const error = (1 / (1 + Math.exp(-z)) - row.y) * row.weight;
      for (const i of row.cols) g[i]! += error;
    }
    const rate = 0.1 * Math.min(1, (steps - step + 1) / (steps * 0.6));
    for (let i = 0; i < n; i++) {
      // What only one speaker's rows say is believed less than what both say.
      const penalty = i % F === 0 ? 0.01 : i < F ? l2 : l2 * 2;
      const grad = (g[i]! + penalty * w[i]!) / total;
      m[i] = 0.9 * m[i]! + 0.1 * grad;
      v[i] = 0.999 * v[i]! + 0.001 * grad * grad;
      w[i]! -= (rate * (m[i]! / (1 - 0.9 ** step))) / (Math.sqrt(v[i]! / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return w;
}

/** Softmax over the kinds, by the same descent; a span that annotators named twice counts for both halves. */
function softmax(rows: readonly Row[], l2: number, steps = 300): Float64Array[] {
  const K = KEY_EVENT_KINDS.length;
  const n = 3 * F;
  const w = KEY_EVENT_KINDS.map(() => new Float64Array(n));
  const m = KEY_EVENT_KINDS.map(() => new Float64Array(n));
  const v = KEY_EVENT_KINDS.map(() => new Float64Array(n));
  const cols = rows.map(columns);
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  for (let step = 1; step <= steps; step++) {
    const g = KEY_EVENT_KINDS.map(() => new Float64Array(n));
    rows.forEach((row, r) => {
      const z = w.map((weights) => cols[r]!.reduce((sum, i) => sum + weights[i]!, 0));
      const top = Math.max(...z);
      const e = z.map((x) => Math.exp(x - top));
      const sum = e.reduce((a, b) => a + b, 0);
      for (let k = 0; k < K; k++) {
        const wanted = row.kinds.filter((kind) => kind === KEY_EVENT_KINDS[k]).length / row.kinds.length;
        const error = (e[k]! / sum - wanted) * row.weight;
        for (const i of cols[r]!) g[k]![i]! += error;
      }
    });
    const rate = 0.1 * Math.min(1, (steps - step + 1) / (steps * 0.6));
    for (let k = 0; k < K; k++) {
      for (let i = 0; i < n; i++) {
        const penalty = i % F === 0 ? 0.01 : i < F ? l2 : l2 * 2;
        const grad = (g[k]![i]! + penalty * w[k]![i]!) / total;
        m[k]![i] = 0.9 * m[k]![i]! + 0.1 * grad;
        v[k]![i] = 0.999 * v[k]![i]! + 0.001 * grad * grad;
        w[k]![i]! -= (rate * (m[k]![i]! / (1 - 0.9 ** step))) / (Math.sqrt(v[k]![i]! / (1 - 0.999 ** step)) + 1e-8);
      }
    }
  }
  return w;
}

const fold = (w: Float64Array): { user: number[]; other: number[] } => ({
  user: Array.from({ length: F }, (_, i) => round(w[i]! + w[i + F]!)),
  other: Array.from({ length: F }, (_, i) => round(w[i]! + w[i + 2 * F]!)),
});
const round = (x: number): number => Math.round(x * 1000) / 1000;

function train(samples: readonly Sample[], l2 = 8, l2Kind = 2): Model {
  const rows = samples.flatMap(rowsOf);
  const event = fold(
    logistic(
      rows.map((row) => ({ cols: columns(row), y: row.y, weight: row.weight })),
      l2,
    ),
  );
  const positives = rows.filter((row) => row.y === 1);
  const kinds = softmax(positives, l2Kind).map(fold);
  const of = (kind: KeyEventKind): Weights => kinds[KEY_EVENT_KINDS.indexOf(kind)]!;
  return {
    event,
    kinds: {
      decision: of('decision'),
      error: of('error'),
      preference: of('preference'),
      constraint: of('constraint'),
      configuration: of('configuration'),
      fact: of('fact'),
      todo: of('todo'),
      outcome: of('outcome'),
    },
  };
}

interface Tally {
  agreed: number;
  found: number;
  predicted: number;
  right: number;
  kindRight: number;
}
const tally = (): Tally => ({ agreed: 0, found: 0, predicted: 0, right: 0, kindRight: 0 });

function score(
  samples: readonly Sample[],
  model: Model,
  threshold: { user: number; other: number },
  into: Tally,
  log?: (line: string) => void,
): void {
  for (const { item, analysis } of samples) {
    const found = atOnce(choose({ role: item.role, text: item.text }, analysis, model, threshold));
    const all = [...item.agreed, ...item.single];
    for (const gold of item.agreed) {
      into.agreed++;
      const match = found.find((event) => hits(gold, event));
      if (match === undefined) {
        log?.(
          `MISS ${item.source.slice(0, 14)} ${item.role} ${gold.kinds[0] ?? ''}: ${item.text.slice(gold.start, gold.end).slice(0, 160)}`,
        );
        continue;
      }
      into.found++;
      if (gold.kinds.includes(match.kind)) into.kindRight++;
      else log?.(`KIND ${item.role} ${gold.kinds.join('/')} not ${match.kind}: ${match.quote.slice(0, 160)}`);
    }
    for (const event of found) {
      into.predicted++;
      if (all.some((gold) => hits(gold, event))) into.right++;
      else
        log?.(
          `WRONG ${item.source.slice(0, 14)} ${item.role} ${event.kind} ${event.score.toFixed(2)}: ${event.quote.slice(0, 160)}`,
        );
    }
  }
}

const show = (t: Tally): string =>
  `recall ${(t.found / t.agreed).toFixed(3)} precision ${(t.right / Math.max(1, t.predicted)).toFixed(3)} kind ${(t.kindRight / Math.max(1, t.found)).toFixed(3)} (${t.found}/${t.agreed}, ${t.right}/${t.predicted})`;

const labelled = files.flatMap((file) =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Labelled)
    .filter((item) => typeof item.text === 'string')
    .map((item) => sample(item, groupOf(item.source), 1)),
);
const lessons = readLessons(path.join(ROOT, 'test/fixtures/events/lessons')).map((item) =>
  sample(item, item.source, 1),
);
const DATA = process.env['THREADKEEPER_DATA'] ?? path.join(ROOT, '../shared/data');
const readings = readReadings(path.join(import.meta.dirname, 'readings.jsonl'), path.join(DATA, 'dev')).map((item) =>
  sample(item, groupOf(item.source), 1),
);
const samples = [...labelled, ...readings, ...lessons];
const people = [...new Set(labelled.map((s) => s.group))];
/** Leaving out a file of lessons too takes four times as long. */
const groups = args.includes('--lessons') ? [...new Set(samples.map((s) => s.group))] : people;
console.log(
  `${labelled.length} labelled messages, ${readings.length} readings, ${lessons.length} lessons, ${F} features, groups: ${groups.join(', ')}`,
);

const verbose = args.includes('--verbose');
const models = new Map(groups.map((group) => [group, train(samples.filter((s) => s.group !== group))]));
for (const user of [0.3, 0.4, 0.5]) {
  for (const other of [0.25, 0.3, 0.35, 0.4, 0.45]) {
    const all = tally();
    for (const group of people) {
      const left = labelled.filter((s) => s.group === group);
      score(left, models.get(group)!, { user, other }, all);
    }
    console.log(`left out, thresholds user ${user} other ${other}: ${show(all)}`);
  }
}
for (const group of groups) {
  for (const role of ['user', 'assistant', 'tool'] satisfies Role[]) {
    const one = tally();
    const left = [...labelled, ...lessons].filter((s) => s.group === group && s.item.role === role);
    score(left, models.get(group)!, THRESHOLDS, one, verbose ? (line) => console.log(line) : undefined);
    if (one.agreed > 0) console.log(`left out ${group} ${role}: ${show(one)}`);
  }
}
const final = train(samples);
const inside = tally();
score(labelled, final, THRESHOLDS, inside);
console.log(`trained on all, labelled only: ${show(inside)}`);

if (args.includes('--write')) {
  const rows = (list: readonly number[]): string => `[${list.join(', ')}]`;
  const body = `// Written by scripts/events/train.ts; do not edit. What it was trained on is told in docs/adr/0010-key-events.md.
import type { Model } from './linear-model.ts';

// prettier-ignore
export const MODEL: Model = {
  event: { user: ${rows(final.event.user)}, other: ${rows(final.event.other)} },
  kinds: {
${KEY_EVENT_KINDS.map((kind) => `    ${kind}: { user: ${rows(final.kinds[kind].user)}, other: ${rows(final.kinds[kind].other)} },`).join('\n')}
  },
};
`;
  fs.writeFileSync(path.join(ROOT, 'src/core/events/weights.ts'), body);
}
