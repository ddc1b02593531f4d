import { readLabels } from '../../../scripts/events/labels.ts';
import { score, type Scored } from '../../../scripts/events/score.ts';
import { detectEvents } from '../../../src/core/events/detect.ts';
import type { DetectedEvent, KeyEventKind } from '../../../src/core/model/key-event.ts';
import type { BenchContext } from '../context.ts';
import { sharedFile } from '../data/real-transcripts.ts';
import type { Measured } from '../report/figure.ts';

/** Substrings that simple systems use to recognize important text, with the kind of event. */
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

const FILES = [
  ['labels', 'labels.dev.jsonl'],
  ['random', 'wild.dev.jsonl'],
] as const;
/** In-sample targets. The training script prints the same figures with each source left out. */
const TARGETS = { weighted: 0.85, lasting: 0.95, keptPrecision: 0.65, atQuarter: 0.55, kinds: 0.75 } as const;

/** Key events found in labeled messages, compared to sentences found by a list of substrings. */
export function measureEvents({ print }: BenchContext): Measured {
  const figures: Measured['figures'][number][] = [];
  const notes: string[] = [];
  for (const [name, at] of FILES) {
    const file = sharedFile(at);
    const labels = file === undefined ? [] : readLabels(file);
    if (labels.length === 0) {
      notes.push(`Key events are not scored on ${at}: it is absent.`);
      continue;
    }
    print(`key events of ${at}`);
    const ours = score(
      labels.map((item) => {
        // Labels don't contain the previous message's role, so it's assumed to be the other participant's.
        const before = { role: item.role === 'user' ? 'assistant' : 'user', text: item.before ?? '' } as const;
        return { item, found: detectEvents({ role: item.role, text: item.text }, { before }) };
      }),
    );
    for (const [figure, atLeast] of Object.entries(TARGETS))
      figures.push({
        id: `quality.events.${name}.${figure}`,
        label: `key events, ${name}: ${figure}`,
        value: ours[figure as keyof typeof TARGETS],
        unit: 'share',
        target: { atLeast },
        guard: { worse: 'lower', margin: 0.03 },
      });
    const plain = score(labels.map((item): Scored => ({ item, found: bySubstring(item.text) })));
    figures.push({
      id: `quality.events.${name}.substrings`,
      label: `substring list, ${name}: weighted`,
      value: plain.weighted,
      unit: 'share',
    });
    notes.push(
      `Key events, ${at}: ${labels.length} messages, ${ours.density} events a message where people mark ${ours.people}.`,
    );
  }
  return { figures, notes };
}

function bySubstring(text: string): DetectedEvent[] {
  const found: DetectedEvent[] = [];
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const lower = segment.toLowerCase();
    const match = SUBSTRINGS.find(([word]) => lower.includes(word));
    const quote = segment.trimEnd();
    if (match)
      found.push({
        start: index,
        end: index + quote.length,
        kind: match[1],
        quote,
        score: 1,
        importance: 2,
        reason: match[0],
      });
  }
  return found;
}
