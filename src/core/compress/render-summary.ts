import type { StructuredSummary } from '../model/summary.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** A line of a rendered summary. Of lower `rank` goes first when room is short, what is unusual counted in. */
interface Line {
  readonly rank: number;
  readonly heading: string;
  readonly text: string;
}

/** Above any other rank. */
const FIRST = 10;
/** What a line of nothing but the unusual counts for more than one that anyone would have said, in ranks. */
const UNUSUAL = 4;
/** Lines whose worth differs by less are alike: the later one leaves first. */
const ALIKE = 0.5;

/** Headings, in the fixed order of sections, with what is kept longest when room is short (5 longest). */
const SECTIONS: readonly {
  readonly heading: string;
  readonly rank: number;
  readonly lines: (summary: StructuredSummary) => readonly string[];
}[] = [
  { heading: '', rank: 3, lines: ({ narrative }) => splitSentences(narrative) },
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
  { heading: 'Outcomes', rank: 3, lines: ({ outcomes }) => outcomes },
  { heading: 'Files', rank: 1, lines: ({ files }) => (files.length === 0 ? [] : [files.join(', ')]) },
  { heading: 'Topics', rank: 0, lines: ({ topics }) => (topics.length === 0 ? [] : [topics.join(', ')]) },
];

let segmenter: Intl.Segmenter | undefined;

/** A text's sentences, trimmed, in any language. */
export function splitSentences(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment.trim()).filter((one) => one !== '');
}

/**
 * A structured summary as markdown, its sections in fixed order, within `budgetTokens`: lines of the least important
 * sections are left out first, the last of a section before the first; with `rarity` (of a text's words in what is
 * summarized, 0…1) what might have been said anywhere leaves before what was said here alone. '' when not even one line
 * fits.
 */
export function renderSummary(
  summary: StructuredSummary,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  rarity: (text: string) => number = () => 0,
): string {
  const lines: Line[] = [];
  const said = new Set<string>();
  for (const { heading, rank, lines: linesOf } of SECTIONS) {
    for (const [index, text] of linesOf(summary).entries()) {
      if (said.has(text)) continue;
      said.add(text);
      // The first sentence of the narrative says what it is about.
      const worth = heading === '' && index === 0 ? FIRST : rank + UNUSUAL * rarity(text);
      lines.push({ rank: Math.round(worth / ALIKE) * ALIKE, heading, text });
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
