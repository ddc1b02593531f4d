import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { detectEvents } from '../../../src/core/events/detect.ts';
import type { KeyEventKind } from '../../../src/core/model/key-event.ts';
import type { BenchContext } from '../context.ts';
import { sharedFile } from '../data/shared.ts';
import type { Measured } from '../report/figure.ts';

const span = { start: v.number(), end: v.number() };
const labelSchema = v.object({
  role: v.picklist(['user', 'assistant', 'tool']),
  before: v.string(),
  text: v.string(),
  agreed: v.array(v.object({ ...span, kinds: v.array(v.string()) })),
  single: v.array(v.object(span)),
});
type Label = v.InferOutput<typeof labelSchema>;

interface Predicted {
  readonly start: number;
  readonly end: number;
  readonly kind: KeyEventKind;
}
type Detector = (label: Label) => readonly Predicted[];

/** Substrings by which simple systems tell what is important, each with the kind it stands for. */
const SUBSTRINGS: readonly (readonly [word: string, kind: KeyEventKind])[] = [
  ['error', 'error'],
  ['fail', 'error'],
  ['decided', 'decision'],
  ['note', 'fact'],
  ['remember', 'fact'],
  ['save', 'fact'],
  ['config', 'configuration'],
  ['must', 'constraint'],
  ['prefer', 'preference'],
  ['todo', 'todo'],
];

/** Key events found in labelled messages, beside a list of substrings that marks sentences. */
export function measureEvents({ say }: BenchContext): Measured {
  const file = sharedFile('labels.dev.jsonl');
  if (file === undefined)
    return { figures: [], notes: ['Key events are not scored: the labelled messages are absent.'] };
  say('key events');
  const labels = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter((one) => typeof one === 'object' && one !== null && 'text' in one)
    .map((one) => v.parse(labelSchema, one));
  const ours = score(labels, (label) => {
    // The message before is somebody else's, as in the conversation it was taken from.
    const before = { role: label.role === 'user' ? 'assistant' : 'user', text: label.before || '(start)' } as const;
    return detectEvents({ role: label.role, text: label.text }, { before });
  });
  const substrings = score(labels, bySubstring);
  const kept = { worse: 'lower', margin: 0.03 } as const;
  return {
    figures: [
      {
        id: 'quality.events.recall',
        label: 'key events: recall',
        value: ours.recall,
        unit: 'share',
        target: { atLeast: 0.85 },
        guard: kept,
      },
      {
        id: 'quality.events.precision',
        label: 'key events: precision',
        value: ours.precision,
        unit: 'share',
        target: { atLeast: 0.7 },
        guard: kept,
      },
      {
        id: 'quality.events.kind',
        label: 'key events: right kind',
        value: ours.kind,
        unit: 'share',
        target: { atLeast: 0.75 },
        guard: kept,
      },
      {
        id: 'quality.events.substrings.recall',
        label: 'substring list: recall',
        value: substrings.recall,
        unit: 'share',
      },
      {
        id: 'quality.events.substrings.precision',
        label: 'substring list: precision',
        value: substrings.precision,
        unit: 'share',
      },
      {
        id: 'quality.events.substrings.kind',
        label: 'substring list: right kind',
        value: substrings.kind,
        unit: 'share',
      },
    ],
    notes: [`Key events: ${labels.length} labelled messages.`],
  };
}

function bySubstring({ text }: Label): Predicted[] {
  const found: Predicted[] = [];
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const lower = segment.toLowerCase();
    const match = SUBSTRINGS.find(([word]) => lower.includes(word));
    if (match) found.push({ start: index, end: index + segment.trimEnd().length, kind: match[1] });
  }
  return found;
}

/** A span is hit by more than half of the shorter one, unless it is far longer than the label. */
function hits(label: { readonly start: number; readonly end: number }, found: Predicted): boolean {
  const shorter = Math.min(label.end - label.start, found.end - found.start);
  const overlap = Math.min(label.end, found.end) - Math.max(label.start, found.start);
  return overlap > 0.5 * shorter && found.end - found.start <= Math.max(4 * (label.end - label.start), 300);
}

/** Recall of the spans that both annotators marked; precision by those that either marked. */
function score(labels: readonly Label[], detect: Detector): { recall: number; precision: number; kind: number } {
  let agreed = 0;
  let found = 0;
  let kind = 0;
  let predicted = 0;
  let right = 0;
  for (const label of labels) {
    const all = detect(label);
    for (const want of label.agreed) {
      agreed++;
      const hit = all.find((one) => hits(want, one));
      if (!hit) continue;
      found++;
      if (want.kinds.includes(hit.kind)) kind++;
    }
    predicted += all.length;
    right += all.filter((one) => [...label.agreed, ...label.single].some((want) => hits(want, one))).length;
  }
  return { recall: found / agreed, precision: right / Math.max(1, predicted), kind: kind / Math.max(1, found) };
}
