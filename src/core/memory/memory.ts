import * as v from 'valibot';
import type { ReadonlyOutput } from '../model/field-schemas.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type KeyEventKind } from '../model/key-event.ts';
import { neutralizeTags, wrapSection } from '../text/prompt-sections.ts';
import { withSpeaker } from '../text/speakers.ts';

/** An entry of the workspace memory: a key event of a session or a text that the user entered. */
export const memoryEntrySchema = v.object({
  id: v.string(),
  kind: v.picklist(KEY_EVENT_KINDS),
  text: v.string(),
  /** Milliseconds since the epoch. */
  at: v.number(),
});
export type MemoryEntry = ReadonlyOutput<typeof memoryEntrySchema>;

/** Kinds that can apply to other sessions, unlike to-dos and errors. */
const LASTING: ReadonlySet<KeyEventKind> = new Set(['preference', 'constraint', 'configuration', 'fact', 'decision']);
/** Kinds that are proposed automatically. */
const PROPOSED: ReadonlySet<KeyEventKind> = new Set(['preference', 'constraint', 'fact']);

const INTRO =
  'Notes that the user keeps for all conversations of this workspace. If this conversation contradicts them, it takes precedence.';

/** Tokens allowed for the section's delimiters, which depend on its content. */
const DELIMITER_TOKENS = 8;

export interface SentMemory {
  readonly text: string;
  readonly omittedIds: ReadonlySet<string>;
}

/** The memory in at most `budget` tokens, as counted by `count`. Newer entries take precedence; their order is kept. */
export function memoryText(
  entries: readonly MemoryEntry[],
  budget: number,
  count: (text: string) => number,
): SentMemory {
  const omittedIds = new Set<string>();
  const kept: string[] = [];
  // The section's tags and introduction count as well.
  let room = budget - count(framed([])) - DELIMITER_TOKENS;
  for (const entry of entries.toReversed()) {
    const line = `- [${entry.kind}] ${neutralizeTags(memoryLine(entry.text))}`;
    const tokens = count(`${line}\n`);
    if (tokens > room) {
      omittedIds.add(entry.id);
      continue;
    }
    room -= tokens;
    kept.unshift(line);
  }
  return { text: kept.length === 0 ? '' : framed(kept), omittedIds };
}

const framed = (lines: readonly string[]): string => wrapSection('workspace_memory', [INTRO, ...lines].join('\n'));

export const memoryLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function isRemembered(entries: readonly MemoryEntry[], text: string): boolean {
  const line = memoryLine(text).toLowerCase();
  return entries.some((entry) => entry.text.toLowerCase() === line);
}

/** Active key events of lasting kinds that the memory doesn't contain yet. */
export function memoryCandidates(
  events: Iterable<KeyEvent>,
  entries: readonly MemoryEntry[],
  kinds: 'all' | 'proposed' = 'all',
): KeyEvent[] {
  const wanted = kinds === 'all' ? LASTING : PROPOSED;
  return [...events].filter(
    (event) =>
      event.status === 'active' &&
      wanted.has(event.kind) &&
      !isRemembered(entries, withSpeaker(event.speaker, event.quote)),
  );
}

/** Maximum number of proposals: about a screenful. */
const MAX_PROPOSED = 12;

/** The candidates to propose: pinned ones, then those with the highest scores, in their original order. */
export function memoryProposals(candidates: readonly KeyEvent[]): readonly KeyEvent[] {
  const worth = (event: KeyEvent): number => event.score + (event.pinned ? 1 : 0);
  const best = new Set([...candidates].sort((a, b) => worth(b) - worth(a)).slice(0, MAX_PROPOSED));
  return candidates.filter((event) => best.has(event));
}

/** The memory as a Markdown file for the repository, grouped by kind. */
export function memoryMarkdown(entries: readonly MemoryEntry[], heading: (kind: KeyEventKind) => string): string {
  const kinds = [...new Set(entries.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => {
    const lines = entries.filter((entry) => entry.kind === kind).map(({ text }) => `- ${text}`);
    return `## ${heading(kind)}\n\n${lines.join('\n')}\n`;
  });
  return parts.join('\n');
}
