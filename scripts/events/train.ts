/**
 * Trains the models of key-event detection and writes src/core/events/weights.ts.
 *
 *   node scripts/events/train.ts [--write] [--show SOURCE]
 *
 * Learns from the lessons beside this file and, where they are, the labelled messages and readings of $THREADKEEPER_DATA.
 * Prints figures with each source left out (all of one project's or game's messages are one source), then in-sample.
 * Deterministic.
 */
import fs from 'node:fs';
import path from 'node:path';
import { analyse, type Analysis } from '../../src/core/events/analyse.ts';
import { choose } from '../../src/core/events/choose.ts';
import type { Model } from '../../src/core/events/linear-model.ts';
import { KEY_EVENT_KINDS, type KeyEventKind } from '../../src/core/model/key-event.ts';
import { atOnce } from '../../src/core/pace/steps.ts';
import { readLabels, readLessons, readReadings, type Labelled } from './labels.ts';
import { hits, score, type Scored } from './score.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DATA = process.env['THREADKEEPER_DATA'] ?? path.join(ROOT, '../shared/data');

interface Sample {
  readonly item: Labelled;
  readonly group: string;
  readonly set: 'labels' | 'wild' | 'readings' | 'lessons';
  readonly analysis: Analysis;
}

/** A candidate as the models see it: columns for everybody, and again for the side that speaks. */
interface Row {
  readonly cols: readonly number[];
  readonly kept: number;
  readonly lasting: number;
  readonly kinds: readonly KeyEventKind[];
  readonly weight: number;
}

/** Sources by whose they are: the sessions of one project are one source. */
const groupOf = (source: string): string =>
  ['aider', 'agente', 'getspecstory', 'sample-session', 'sgd', 'crd3', 'qmsum'].find((one) => source.includes(one)) ??
  'lessons';

/** Columns by name: a feature's own, and one for each side that may say it; words have but their own. */
const columns = new Map<string, number>();
const column = (name: string): number => columns.get(name) ?? columns.set(name, columns.size).get(name)!;
const isWord = (feature: string): boolean => feature.startsWith('#');

/** Ridge penalties. What only one side's rows say is believed less than what both say, single words less than features. */
const L2 = { event: 8, kinds: 3 };
const penaltyOf = (name: string): number =>
  name.startsWith('bias') ? 0.001 : isWord(name) ? 4 : name.includes('|') ? 2 : 1;

function rowsOf({ item, analysis, set }: Sample): Row[] {
  const side = item.role === 'user' && !analysis.speech.named ? '|user' : '|other';
  return analysis.candidates.map(({ segment, traits: { features } }) => {
    const agreed = item.agreed.filter((gold) => hits(gold, segment));
    const single = item.single.some((gold) => hits(gold, segment));
    const importance = Math.max(0, ...agreed.map((gold) => gold.importance));
    return {
      cols: [...features, ...features.filter((one) => !isWord(one)).map((one) => one + side)].map(column),
      kept: importance >= 1.5 ? 1 : importance >= 1 ? 0.15 : single && agreed.length === 0 ? 0.3 : 0,
      lasting: importance >= 2.5 ? 1 : 0,
      kinds: agreed.flatMap((gold) => gold.kinds),
      weight: { labels: 1, wild: 1, readings: 0.5, lessons: 2 }[set] * (importance >= 2.5 ? 2 : 1),
    };
  });
}

/** Softmax regression by Adam on the full batch; `targets` are shares of the classes. */
function softmax(
  rows: readonly Row[],
  targets: readonly (readonly number[])[],
  l2: number,
  steps = 250,
): readonly Float64Array[] {
  const penalties = Float64Array.from(columns.keys(), (name) => l2 * penaltyOf(name));
  const zeros = (): Float64Array => new Float64Array(columns.size);
  const classes = targets[0]!.map(() => ({ w: zeros(), m: zeros(), v: zeros(), g: zeros() }));
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  for (let step = 1; step <= steps; step++) {
    for (const { g } of classes) g.fill(0);
    for (const [r, { cols, weight }] of rows.entries()) {
      const z = classes.map(({ w }) => cols.reduce((sum, i) => sum + w[i]!, 0));
      const top = Math.max(...z);
      const e = z.map((x) => Math.exp(x - top));
      const all = e.reduce((a, b) => a + b, 0);
      for (const [k, { g }] of classes.entries()) {
        const error = (e[k]! / all - targets[r]![k]!) * weight;
        for (const i of cols) g[i]! += error;
      }
    }
    const rate = 0.1 * Math.min(1, (steps - step + 1) / (steps * 0.6));
    for (const { w, m, v, g } of classes) {
      for (let i = 0; i < w.length; i++) {
        const grad = (g[i]! + penalties[i]! * w[i]!) / total;
        m[i] = 0.9 * m[i]! + 0.1 * grad;
        v[i] = 0.999 * v[i]! + 0.001 * grad * grad;
        w[i]! -= (rate * (m[i]! / (1 - 0.9 ** step))) / (Math.sqrt(v[i]! / (1 - 0.999 ** step)) + 1e-8);
      }
    }
  }
  return classes.map(({ w }) => w);
}

function train(samples: readonly Sample[]): Model {
  const rows = samples.flatMap(rowsOf);
  const binary = (targets: readonly number[]): Float64Array => {
    const [no, yes] = softmax(
      rows,
      targets.map((y) => [1 - y, y]),
      L2.event,
    );
    return yes!.map((weight, i) => weight - no![i]!);
  };
  // Of kinds there are few examples: words would be learned by heart.
  const names = [...columns.keys()];
  const positive = rows
    .filter((row) => row.kinds.length > 0)
    .map((row) => ({ ...row, weight: 1, cols: row.cols.filter((at) => !isWord(names[at]!)) }));
  const kinds = softmax(
    positive,
    positive.map(({ kinds: named }) =>
      KEY_EVENT_KINDS.map((kind) => named.filter((one) => one === kind).length / named.length),
    ),
    L2.kinds,
  );
  const outputs = [binary(rows.map(({ kept }) => kept)), binary(rows.map(({ lasting }) => lasting)), ...kinds];
  const model: Record<string, number[]> = {};
  for (const [name, at] of columns) {
    if (name.includes('|')) continue;
    const of = (side: string): number[] =>
      outputs.map((w) => Math.round(100 * (w[at]! + (w[columns.get(name + side) ?? -1] ?? 0))) / 100);
    const weights = isWord(name) ? of('').slice(0, 2) : [...of('|user'), ...of('|other')];
    if (weights.some((weight) => Math.abs(weight) >= 0.02)) model[name] = weights;
  }
  return model;
}

const sample =
  (set: Sample['set']) =>
  (item: Labelled): Sample => ({
    item,
    group: groupOf(item.source),
    set,
    analysis: atOnce(analyse({ role: item.role, text: item.text }, item.before)),
  });
const samples = [
  ...readLabels(path.join(DATA, 'labels.dev.jsonl')).map(sample('labels')),
  ...readLabels(path.join(DATA, 'wild.dev.jsonl')).map(sample('wild')),
  ...readReadings(path.join(import.meta.dirname, 'readings.jsonl'), path.join(DATA, 'dev')).map(sample('readings')),
  ...readLessons(path.join(import.meta.dirname, 'lessons')).map(sample('lessons')),
];
const find = (model: Model, list: readonly Sample[]): Scored[] =>
  list.map(({ item, analysis }) => ({
    item,
    found: atOnce(choose({ role: item.role, text: item.text }, analysis, model)),
  }));

const groups = [...new Set(samples.filter(({ set }) => set === 'labels' || set === 'wild').map(({ group }) => group))];
const leftOut = new Map<Sample, Scored>();
for (const group of groups) {
  const model = train(samples.filter((one) => one.group !== group));
  const own = samples.filter((one) => one.group === group);
  for (const [at, scored] of find(model, own).entries()) leftOut.set(own[at]!, scored);
}
const report = (title: string, list: readonly Scored[]): void =>
  console.log(title.padEnd(34), JSON.stringify(score(list)));
for (const set of ['labels', 'wild'] as const) {
  const of = samples.filter((one) => one.set === set);
  report(
    `${set}, each source left out`,
    of.map((one) => leftOut.get(one)!),
  );
  for (const group of groups) {
    const own = of.filter((one) => one.group === group);
    if (own.length > 0)
      report(
        `  ${group}`,
        own.map((one) => leftOut.get(one)!),
      );
  }
}
const shown = process.argv.indexOf('--show');
if (shown !== -1)
  for (const [{ group, set }, { item, found }] of leftOut) {
    if (set === 'readings' || group !== process.argv[shown + 1]) continue;
    const quote = ({ start, end }: { start: number; end: number }): string =>
      item.text.slice(start, end).slice(0, 150).replaceAll('\n', '⏎');
    for (const gold of item.agreed)
      if (!found.some((event) => hits(gold, event)))
        console.log(`MISS ${item.role} ${gold.importance} ${gold.kinds[0]}: ${quote(gold)}`);
    for (const event of found) {
      const gold = item.agreed.find((one) => hits(one, event));
      if (gold === undefined || gold.importance < 1.5)
        console.log(
          `WRONG ${item.role} ${event.kind} ${event.importance} ${event.score.toFixed(2)} (${gold?.importance ?? '-'}): ${quote(event)}`,
        );
      else if (!gold.kinds.includes(event.kind))
        console.log(`KIND ${item.role} ${gold.kinds.join('/')} not ${event.kind}: ${quote(event)}`);
    }
  }
const model = train(samples);
for (const set of ['labels', 'wild', 'lessons'] as const)
  report(
    `${set}, in-sample`,
    find(
      model,
      samples.filter((one) => one.set === set),
    ),
  );

if (process.argv.includes('--write'))
  fs.writeFileSync(
    path.join(ROOT, 'src/core/events/weights.ts'),
    `// Written by scripts/events/train.ts; do not edit. What it was trained on is told in docs/adr/0010-key-events.md.
import type { Model } from './linear-model.ts';

// prettier-ignore
export const MODEL: Model = ${JSON.stringify(model)};
`,
  );
