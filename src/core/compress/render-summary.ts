import type { StructuredSummary } from '../model/summary.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** A line of a rendered summary. Of lower `rank` goes first when room is short. */
interface Line {
  readonly rank: number;
  readonly heading: string;
  readonly text: string;
}

/** Headings, in the fixed order of sections, with what is kept longest when room is short (5 longest). */
const SECTIONS: readonly {
  readonly heading: string;
  readonly rank: number;
  readonly lines: (summary: StructuredSummary) => readonly string[];
}[] = [
  { heading: '', rank: 4, lines: ({ narrative }) => sentences(narrative) },
  {
    heading: 'Decisions',
    rank: 5,
    lines: ({ decisions }) =>
      decisions.map(({ what, why, when }) => `${what}${why ? ` — ${why}` : ''}${when ? ` (${when})` : ''}`),
  },
  { heading: 'Preferences', rank: 5, lines: ({ preferences }) => preferences },
  { heading: 'Guidance', rank: 2, lines: ({ guidance }) => guidance },
  {
    heading: 'Errors',
    rank: 3,
    lines: ({ errors }) => errors.map(({ what, solution }) => (solution ? `${what} → ${solution}` : what)),
  },
  { heading: 'Tried and failed', rank: 3, lines: ({ failedAttempts }) => failedAttempts },
  { heading: 'Open', rank: 4, lines: ({ openSteps }) => openSteps },
  { heading: 'Outcomes', rank: 2, lines: ({ outcomes }) => outcomes },
  { heading: 'Files', rank: 1, lines: ({ files }) => (files.length === 0 ? [] : [files.join(', ')]) },
  { heading: 'Topics', rank: 0, lines: ({ topics }) => (topics.length === 0 ? [] : [topics.join(', ')]) },
];

let segmenter: Intl.Segmenter | undefined;

function sentences(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment.trim()).filter((one) => one !== '');
}

/**
 * A structured summary as markdown, its sections in fixed order, within `budgetTokens`: lines of the least important
 * sections are left out first, the last of a section before the first. '' when not even one line fits.
 */
export function renderSummary(
  summary: StructuredSummary,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
): string {
  const lines: Line[] = [];
  for (const { heading, rank, lines: linesOf } of SECTIONS) {
    for (const [index, text] of linesOf(summary).entries()) {
      // The first sentence of the narrative says what it is about.
      lines.push({ rank: heading === '' && index === 0 ? 6 : rank, heading, text });
    }
  }
  let kept = lines;
  let text = join(kept);
  let tokens = counter.text(text);
  while (kept.length > 0 && tokens > budgetTokens) {
    const lowest = Math.min(...kept.map((line) => line.rank));
    let drop = tokens - budgetTokens;
    const dropped = new Set<Line>();
    for (let at = kept.length - 1; at >= 0 && drop > 0; at--) {
      const line = kept[at]!;
      if (line.rank !== lowest) continue;
      dropped.add(line);
      drop -= counter.text(line.text);
    }
    kept = kept.filter((line) => !dropped.has(line));
    text = join(kept);
    tokens = counter.text(text);
  }
  return text;
}

function join(lines: readonly Line[]): string {
  const parts: string[] = [];
  let heading = '';
  for (const line of lines) {
    if (line.heading === '') {
      // Sentences of the narrative run on.
      if (parts.length === 0) parts.push(line.text);
      else parts[0] = `${parts[0]!} ${line.text}`;
      continue;
    }
    if (line.heading !== heading) parts.push(`**${line.heading}**`);
    heading = line.heading;
    parts.push(`- ${line.text}`);
  }
  return parts.join('\n');
}
