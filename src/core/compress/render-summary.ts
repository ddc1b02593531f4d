import { SUMMARY_LISTS, type StructuredSummary, type SummaryField } from '../model/summary.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { sentencesOf } from '../text/sentences.ts';

/** A line of a summary. If room is short, those with a lower `rank` are dropped first; rare words raise the rank. */
interface Line {
  readonly rank: number;
  /** Relative position in its list, 0…1. Among similar lines, later ones are dropped first. */
  readonly relativePosition: number;
  readonly heading: string;
  readonly text: string;
}

/** Above any other rank. */
const TOP_RANK = 10;
/** How many ranks a line gains if all its words are rare or, in the author's order, if it's the first of its list. */
const RARITY_RANKS = 4;
/** Ranks are rounded to multiples of this. Of lines with the same rank, the later one is dropped first. */
const RANK_STEP = 0.5;

/** Headings in the order of the sections. Sections with a higher rank are kept longer (5: longest). */
const SECTIONS: readonly { readonly heading: string; readonly rank: number; readonly field: SummaryField }[] = [
  { heading: 'People', rank: 4, field: 'people' },
  { heading: 'Wanted', rank: 5, field: 'intents' },
  { heading: 'Decisions', rank: 5, field: 'decisions' },
  { heading: 'Constraints', rank: 5, field: 'constraints' },
  { heading: 'Preferences', rank: 5, field: 'preferences' },
  { heading: 'Quests', rank: 5, field: 'quests' },
  { heading: 'Inventory', rank: 4, field: 'inventory' },
  { heading: 'Conditions', rank: 4, field: 'conditions' },
  { heading: 'Places', rank: 3, field: 'places' },
  { heading: 'Discoveries', rank: 4, field: 'discoveries' },
  { heading: 'Facts', rank: 4, field: 'facts' },
  { heading: 'Guidance', rank: 4, field: 'guidance' },
  { heading: 'Errors', rank: 4, field: 'errors' },
  { heading: 'Failed Attempts', rank: 4, field: 'failedAttempts' },
  { heading: 'Outcomes', rank: 4, field: 'outcomes' },
  { heading: 'Open', rank: 4, field: 'openSteps' },
  { heading: 'Files', rank: 1, field: 'files' },
  { heading: 'Topics', rank: 0, field: 'topics' },
];
/** With lists, the narrative mostly repeats them; alone, it's all there is. */
const NARRATIVE_RANK = { alone: 3, besideLists: 2 } as const;

const IN_ONE_LINE: ReadonlySet<SummaryField> = new Set(['files', 'topics']);

function entriesOf(summary: StructuredSummary, field: SummaryField): readonly string[] {
  if (field === 'decisions')
    return summary.decisions.map(
      ({ what, why, when }) => `${what}${why ? ` — ${why}` : ''}${when ? ` (${when})` : ''}`,
    );
  if (field === 'errors')
    return summary.errors.map(({ what, solution }) => (solution ? `${what} → ${solution}` : what));
  const entries = summary[field] ?? [];
  return IN_ONE_LINE.has(field) && entries.length > 0 ? [entries.join(', ')] : entries;
}

export const splitSentences = (text: string): string[] =>
  sentencesOf(text).map(({ start, end }) => text.slice(start, end));

/** Joins sentences by spaces, except after full-width punctuation, which is followed by none. */
const joinSentences = (sentences: readonly string[]): string =>
  sentences.reduce((text, next) => text + (text === '' || FULL_WIDTH_END.test(text) ? '' : ' ') + next, '');

const FULL_WIDTH_END = /[。！？][」』”’）]*$/;

/** The relative position of each line in its own list, 0…1, so that merged lists are shortened evenly. */
export function relativePositionsIn(summaries: readonly StructuredSummary[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const summary of summaries) {
    const lists = SECTIONS.map(({ field }) => entriesOf(summary, field));
    for (const entries of [splitSentences(summary.narrative), ...lists])
      for (const [at, text] of entries.entries()) positions.set(text, at / entries.length);
  }
  return positions;
}

export interface FittedSummary {
  readonly summary: StructuredSummary;
  readonly text: string;
}

export interface FitOptions {
  /** How rare a text's words are in the source, 0…1; common lines are dropped first. */
  readonly rarity?: (text: string) => number;
  /** The position of each line, 0…1, by its text; by default, its position in its list. */
  readonly relativePositions?: ReadonlyMap<string, number>;
  /** Whether the last lines of all sections are dropped first, because important ones come first in each. */
  readonly ignoresSections?: boolean;
}

/** A summary as Markdown within `budgetTokens`. Less important sections lose their last lines first. */
export function fitSummary(
  summary: StructuredSummary,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  { rarity = () => 0, relativePositions, ignoresSections = false }: FitOptions = {},
): FittedSummary {
  const lines: Line[] = [];
  const said = new Set<string>();
  const add = (heading: string, rank: number, entries: readonly string[]): void => {
    for (const [index, text] of entries.entries()) {
      const key = bare(text);
      if (said.has(key) || (heading === '' && listed.has(key) && budgetTokens !== Infinity)) continue;
      said.add(key);
      const at = relativePositions?.get(text) ?? index / entries.length;
      const ranked = ignoresSections ? RARITY_RANKS * (1 - at) + rarity(text) : rank + RARITY_RANKS * rarity(text);
      // The first sentence of a narrative names its subject.
      const lineRank = heading === '' && index === 0 ? TOP_RANK : ranked;
      lines.push({ rank: Math.round(lineRank / RANK_STEP) * RANK_STEP, relativePosition: at, heading, text });
    }
  };
  const sections = SECTIONS.map((section) => ({ ...section, entries: entriesOf(summary, section.field) }));
  const listed = new Set(sections.flatMap(({ entries }) => entries.map(bare)));
  add('', listed.size > 0 ? NARRATIVE_RANK.besideLists : NARRATIVE_RANK.alone, splitSentences(summary.narrative));
  for (const { heading, rank, entries } of sections) add(heading, rank, entries);
  const all = lines.length;
  let kept = lines;
  let text = join(kept);
  let tokens = budgetTokens === Infinity ? 0 : counter.text(text);
  while (kept.length > 0 && tokens > budgetTokens) {
    const lowest = Math.min(...kept.map((line) => line.rank));
    let drop = tokens - budgetTokens;
    const dropped = new Set<Line>();
    const latest = kept.filter(({ rank }) => rank === lowest).sort((a, b) => a.relativePosition - b.relativePosition);
    for (let line = latest.pop(); line && drop > 0; line = latest.pop()) {
      dropped.add(line);
      drop -= counter.text(line.text);
    }
    kept = kept.filter((line) => !dropped.has(line));
    text = join(kept);
    tokens = counter.text(text);
  }
  return {
    summary: kept.length === all ? summary : restrictedTo(summary, new Set(kept.map((line) => line.text))),
    text,
  };
}

function restrictedTo(summary: StructuredSummary, texts: ReadonlySet<string>): StructuredSummary {
  const isKept = (field: SummaryField) => {
    const shown = entriesOf(summary, field);
    return (_: unknown, at: number): boolean => texts.has(IN_ONE_LINE.has(field) ? shown[0]! : shown[at]!);
  };
  const lists = SUMMARY_LISTS.flatMap((name) => {
    const entries = summary[name]?.filter(isKept(name)) ?? [];
    return entries.length > 0 ? [[name, entries] as const] : [];
  });
  return {
    ...Object.fromEntries(lists),
    decisions: summary.decisions.filter(isKept('decisions')),
    errors: summary.errors.filter(isKept('errors')),
    narrative: joinSentences(splitSentences(summary.narrative).filter((sentence) => texts.has(sentence))),
  };
}

/** A line without markup and final punctuation, to find repetitions. Signs as in "-5" and "C++" make a difference. */
const bare = (text: string): string => text.replace(MARKUP, '') || text;

const MARKUP = /^(?:[-•]\s|[\s*_"“„«「'`])+|[\s.,;:!。，；：！、…*_"”“»」'`]+$/gu;

function join(lines: readonly Line[]): string {
  // Sentences of the narrative form one paragraph.
  const narrative = joinSentences(lines.filter(({ heading }) => heading === '').map(({ text }) => text));
  const parts = narrative === '' ? [] : [narrative];
  let section = '';
  for (const { heading, text } of lines) {
    if (heading === '') continue;
    if (heading !== section) parts.push(`**${heading}**`);
    section = heading;
    parts.push(`- ${text}`);
  }
  return parts.join('\n');
}
