/**
 * Trains the models of key-event detection and writes src/core/events/weights.ts.
 *
 *   node scripts/events/train.ts [--write] [--show GROUP]
 *
 * Trains on three kinds of labeled messages: lessons (dialogues written for training, next to this file), messages that
 * two people labeled (in $THREADKEEPER_DATA), and readings (readings.jsonl, transcripts that one person labeled, with
 * their texts in $THREADKEEPER_DATA). Without the data, trains on the lessons alone. Prints the metrics for messages of
 * each group when trained on all others (leave-one-group-out; a group is one project or game), then in-sample; --show
 * prints the errors in one group. Deterministic.
 */
import fs from 'node:fs';
import path from 'node:path';
import { analyzeMessage, type Analysis } from '../../src/core/events/analyze-message.ts';
import { selectKeyEvents } from '../../src/core/events/select-key-events.ts';
import type { LinearModel } from '../../src/core/events/linear-model.ts';
import { KEY_EVENT_KINDS, type KeyEventKind } from '../../src/core/model/key-event.ts';
import { runSynchronously } from '../../src/core/pace/steps.ts';
import { untrustedSpans, restrictUntrustedEvents } from '../../src/core/text/untrusted-text.ts';
import { LABELED_LENGTH, readLabels, readLessons, readReadings, type LabeledMessage } from './labels.ts';
import { matches, score, type Scored } from './score.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DATA = process.env['THREADKEEPER_DATA'] ?? path.join(ROOT, '../shared/data');

interface Sample {
  readonly item: LabeledMessage;
  readonly group: string;
  readonly set: 'labels' | 'wild' | 'readings' | 'lessons';
  readonly analysis: Analysis;
}

/**
 * A training row for a candidate. `cols` are the columns of its features, each shared and once more for its side: the
 * user, or others.
 */
interface Row {
  readonly cols: readonly number[];
  /** Targets, 0 to 1: whether the sentence is worth keeping, and whether it is lasting. */
  readonly kept: number;
  readonly lasting: number;
  readonly kinds: readonly KeyEventKind[];
  readonly weight: number;
  readonly kindWeight: number;
}

/** Groups for leave-one-group-out, by a part of the source's name. Sessions of one project or corpus are one group. */
const SOURCES: readonly (readonly [name: string, group: string])[] = [
  ['aider', 'aider'],
  ['agente', 'agente'],
  ['getspecstory', 'getspecstory'],
  ['sample-session', 'sample-session'],
  ['sgd', 'bookings'],
  ['bookings', 'bookings'],
  ['crd3', 'role-play'],
  ['role-play', 'role-play'],
  ['qmsum', 'meetings'],
];
const groupOf = (source: string): string =>
  (source.startsWith('lessons/') ? undefined : SOURCES.find(([name]) => source.includes(name))?.[1]) ?? 'lessons';

/** Column indexes by name. A feature has a shared column and one for each side; a word has only the shared one. */
const columns = new Map<string, number>();
const column = (name: string): number => columns.get(name) ?? columns.set(name, columns.size).get(name)!;
const isWord = (feature: string): boolean => feature.startsWith('#');

/**
 * Ridge penalties. Columns of one side are penalized more than shared ones, and single words the most (`penaltyOf`).
 */
const L2 = { event: 20, kinds: 8 };
/**
 * Weights of the rows by data set. Labels by two people weigh more than readings by one person, and those drawn at
 * random (`wild`) the most. A single reader's kinds weigh little.
 */
const WEIGHT = { labels: 2, wild: 3, readings: 0.7, lessons: 2 };
const KIND_WEIGHT = { labels: 1, wild: 2, readings: 0.15, lessons: 1 };
const penaltyOf = (name: string): number =>
  name.startsWith('bias') ? 0.001 : isWord(name) ? 4 : name.includes('|') ? 2 : 1;

function rowsOf({ item, analysis, set }: Sample): Row[] {
  const side = item.role === 'user' && !analysis.message.speech.named ? '|user' : '|other';
  const read = set === 'readings' ? LABELED_LENGTH : Infinity;
  const candidates = analysis.candidates.filter(({ segment }) => segment.end <= read);
  return candidates.map(({ segment, traits: { features } }) => {
    const agreed = item.agreed.filter((gold) => matches(gold, segment));
    const single = item.single.some((gold) => matches(gold, segment));
    const importance = Math.max(0, ...agreed.map((gold) => gold.importance));
    return {
      cols: [...features, ...features.filter((one) => !isWord(one)).map((one) => one + side)].map(column),
      kept: importance >= 1.5 ? 1 : importance >= 1 ? 0.4 : single && agreed.length === 0 ? 0.3 : 0,
      lasting: Math.min(1, Math.max(0, importance - 1.5)),
      kinds: agreed.flatMap((gold) => gold.kinds),
      weight: WEIGHT[set] * (importance >= 2.5 ? 2.5 : 1),
      kindWeight: KIND_WEIGHT[set],
    };
  });
}

/** Softmax regression. `targets`: the shares of the classes in each row. Returns each class's weights by column. */
function softmax(rows: readonly Row[], targets: readonly (readonly number[])[], l2: number): readonly Float64Array[] {
  const k = targets[0]!.length;
  const penalties = Float64Array.from(columns.keys(), (name) => l2 * penaltyOf(name));
  const z = new Float64Array(k);
  const lossAt = (w: Float64Array, gradient: Float64Array): number => {
    let loss = 0;
    for (let i = 0; i < w.length; i++) {
      gradient[i] = penalties[Math.floor(i / k)]! * w[i]!;
      loss += 0.5 * gradient[i]! * w[i]!;
    }
    for (const [r, { cols, weight }] of rows.entries()) {
      z.fill(0);
      for (const col of cols) for (let c = 0; c < k; c++) z[c]! += w[col * k + c]!;
      const top = Math.max(...z);
      const log = top + Math.log(z.reduce((sum, x) => sum + Math.exp(x - top), 0));
      for (let c = 0; c < k; c++) {
        const target = targets[r]![c]!;
        loss += weight * target * (log - z[c]!);
        z[c] = weight * (Math.exp(z[c]! - log) - target);
      }
      for (const col of cols) for (let c = 0; c < k; c++) gradient[col * k + c]! += z[c]!;
    }
    return loss;
  };
  const w = minimum(lossAt, columns.size * k);
  return targets[0]!.map((_, c) => Float64Array.from({ length: columns.size }, (_, col) => w[col * k + c]!));
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/**
 * Minimizes a convex function with L-BFGS (Nocedal 1980), starting at zero. `lossAt` returns the loss and fills in the
 * gradient.
 */
function minimum(lossAt: (w: Float64Array, gradient: Float64Array) => number, size: number): Float64Array {
  const past: { readonly step: Float64Array; readonly turn: Float64Array; readonly curve: number }[] = [];
  let w = new Float64Array(size);
  let gradient = new Float64Array(size);
  let loss = lossAt(w, gradient);
  for (let round = 0; round < 150; round++) {
    const way = gradient.map((x) => -x);
    const shares = past.toReversed().map(({ step, turn, curve }) => {
      const share = dot(step, way) / curve;
      turn.forEach((x, i) => (way[i]! -= share * x));
      return share;
    });
    const newest = past.at(-1);
    const scale =
      newest === undefined ? 1 / Math.sqrt(dot(gradient, gradient)) : newest.curve / dot(newest.turn, newest.turn);
    way.forEach((x, i) => (way[i] = x * scale));
    for (const [at, { step, turn, curve }] of past.entries()) {
      const share = shares[past.length - 1 - at]! - dot(turn, way) / curve;
      step.forEach((x, i) => (way[i]! += share * x));
    }
    const slope = dot(gradient, way);
    for (let length = 1; ; length /= 2) {
      const next = w.map((x, i) => x + length * way[i]!);
      const nextGradient = new Float64Array(size);
      const nextLoss = lossAt(next, nextGradient);
      if (nextLoss > loss + 1e-4 * length * slope && length > 1e-6) continue;
      const step = next.map((x, i) => x - w[i]!);
      const turn = nextGradient.map((x, i) => x - gradient[i]!);
      const curve = dot(step, turn);
      if (curve > 1e-12) past.push({ step, turn, curve });
      if (past.length > 8) past.shift();
      const gained = loss - nextLoss;
      [w, gradient, loss] = [next, nextGradient, nextLoss];
      if (gained < 1e-6 * loss) return w;
      break;
    }
  }
  return w;
}

function train(samples: readonly Sample[]): LinearModel {
  const rows = samples.flatMap(rowsOf);
  const binary = (targets: readonly number[]): Float64Array => {
    const [no, yes] = softmax(
      rows,
      targets.map((y) => [1 - y, y]),
      L2.event,
    );
    return yes!.map((weight, i) => weight - no![i]!);
  };
  const positive = rows.filter((row) => row.kinds.length > 0).map((row) => ({ ...row, weight: row.kindWeight }));
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
      outputs.map((w, output) => {
        // A single word says little about the kind, so one decimal is enough.
        const digits = isWord(name) && output > 1 ? 10 : 100;
        return Math.round(digits * (w[at]! + (w[columns.get(name + side) ?? -1] ?? 0))) / digits;
      });
    const weights = isWord(name) ? of('|') : [...of('|user'), ...of('|other')];
    if (weights.some((weight) => Math.abs(weight) >= 0.02)) model[name] = weights;
  }
  return model;
}

const sample =
  (set: Sample['set']) =>
  (item: LabeledMessage): Sample => ({
    item,
    group: groupOf(item.source),
    set,
    analysis: runSynchronously(analyzeMessage({ role: item.role, text: item.text }, item.before)),
  });
const samples = [
  ...readLabels(path.join(DATA, 'labels.dev.jsonl')).map(sample('labels')),
  ...readLabels(path.join(DATA, 'wild.dev.jsonl')).map(sample('wild')),
  ...readReadings(path.join(import.meta.dirname, 'readings.jsonl'), DATA).map(sample('readings')),
  ...readLessons(path.join(import.meta.dirname, 'lessons')).map(sample('lessons')),
];
const find = (model: LinearModel, list: readonly Sample[]): Scored[] =>
  list.map(({ item, set, analysis }) => {
    const message = { role: item.role, text: item.text };
    const found = restrictUntrustedEvents(
      runSynchronously(selectKeyEvents(message, analysis, model)),
      untrustedSpans(message),
    );
    return { item, found: set === 'readings' ? found.filter(({ end }) => end <= LABELED_LENGTH) : found };
  });

const groups = [...new Set(samples.filter(({ set }) => set === 'labels' || set === 'wild').map(({ group }) => group))];
const leftOut = new Map<Sample, Scored>();
for (const group of groups) {
  const model = train(samples.filter((one) => one.group !== group));
  const own = samples.filter((one) => one.group === group);
  for (const [at, scored] of find(model, own).entries()) leftOut.set(own[at]!, scored);
}
const report = (title: string, list: readonly Scored[]): void =>
  console.log(title.padEnd(34), JSON.stringify(score(list)));
for (const set of ['labels', 'wild', 'readings'] as const) {
  const of = samples.filter((one) => one.set === set && leftOut.has(one));
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
      if (!found.some((event) => matches(gold, event)))
        console.log(`MISS ${item.role} ${gold.importance} ${gold.kinds[0]}: ${quote(gold)}`);
    for (const event of found) {
      const gold = item.agreed.find((one) => matches(one, event));
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
    `// Generated by scripts/events/train.ts; don't edit. docs/adr/0010-key-events.md describes the training data.
import type { LinearModel } from './linear-model.ts';

// prettier-ignore
export const KEY_EVENT_MODEL: LinearModel = ${JSON.stringify(model).replaceAll(/(?<=[[,-])0\./g, '.')};
`,
  );
