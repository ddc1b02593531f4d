import type { KeyEvent, KeyEventKind } from '../model/key-event.ts';
import { neutralized, section } from '../text/fence.ts';

/** What holds in every session of a workspace: a line that the user promoted or wrote. */
export interface MemoryEntry {
  readonly id: string;
  readonly kind: KeyEventKind;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Kinds that may hold beyond one session; a todo or an error belongs to its own. */
const LASTING: ReadonlySet<KeyEventKind> = new Set(['preference', 'constraint', 'configuration', 'fact', 'decision']);
/** Kinds that are proposed without being asked for. */
const PROPOSED: ReadonlySet<KeyEventKind> = new Set(['preference', 'constraint', 'fact']);

const INTRO =
  'What holds in every conversation of this workspace, as the user keeps it. Where this conversation says otherwise, it counts.';

/** The section's marks are made from what is in it, and count differently by so many tokens. */
const MARK_TOKENS = 8;

/** What of the memory goes into a request, and the ids of what had no room in it. */
export interface SentMemory {
  readonly text: string;
  readonly left: ReadonlySet<string>;
}

/**
 * The memory as a block of the system prompt of at most `budget` tokens by `count`. The newest entries go before the
 * older ones; those that are sent keep their order.
 */
export function memoryText(
  entries: readonly MemoryEntry[],
  budget: number,
  count: (text: string) => number,
): SentMemory {
  const left = new Set<string>();
  const kept: string[] = [];
  // What frames the entries counts too.
  let room = budget - count(framed([])) - MARK_TOKENS;
  for (const entry of entries.toReversed()) {
    const line = `- [${entry.kind}] ${neutralized(memoryLine(entry.text))}`;
    const tokens = count(`${line}\n`);
    if (tokens > room) {
      left.add(entry.id);
      continue;
    }
    room -= tokens;
    kept.unshift(line);
  }
  return { text: kept.length === 0 ? '' : framed(kept), left };
}

const framed = (lines: readonly string[]): string => section('workspace_memory', [INTRO, ...lines].join('\n'));

/** One line, however it was quoted or typed. */
export const memoryLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Whether the memory says this already. */
export function isRemembered(entries: readonly MemoryEntry[], text: string): boolean {
  const line = memoryLine(text).toLowerCase();
  return entries.some((entry) => entry.text.toLowerCase() === line);
}

/** What of a session could hold in all of them: active key events of lasting kinds that the memory does not say yet. */
export function memoryCandidates(
  events: Iterable<KeyEvent>,
  entries: readonly MemoryEntry[],
  kinds: 'all' | 'proposed' = 'all',
): KeyEvent[] {
  const wanted = kinds === 'all' ? LASTING : PROPOSED;
  return [...events].filter(
    (event) => event.status === 'active' && wanted.has(event.kind) && !isRemembered(entries, event.quote),
  );
}

/** A question of more than a screenful is not answered. */
const MAX_PROPOSED = 12;

/** The candidates that are worth a question: what the user pinned, then the surest; in the order they were said. */
export function memoryProposals(candidates: readonly KeyEvent[]): readonly KeyEvent[] {
  const worth = (event: KeyEvent): number => event.score + (event.pinned ? 1 : 0);
  const best = new Set([...candidates].sort((a, b) => worth(b) - worth(a)).slice(0, MAX_PROPOSED));
  return candidates.filter((event) => best.has(event));
}

/** The memory as a Markdown file for the repository, by kind. */
export function memoryMarkdown(entries: readonly MemoryEntry[], heading: (kind: KeyEventKind) => string): string {
  const kinds = [...new Set(entries.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => {
    const lines = entries.filter((entry) => entry.kind === kind).map(({ text }) => `- ${text}`);
    return `## ${heading(kind)}\n\n${lines.join('\n')}\n`;
  });
  return parts.join('\n');
}
