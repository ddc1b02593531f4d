import { diffArrays } from 'diff';
import { runSynchronously, type Steps } from '../pace/steps.ts';
import { indentOf, isBlank, placeExcerpt } from './place-excerpt.ts';
import { isElision, type Change, type Hunk } from './parse-edits.ts';

/** A change that can't be applied; `ambiguous` if its lines occur several times in the file. */
export interface UnplacedChange {
  readonly reason: 'not_found' | 'ambiguous';
  readonly lines: readonly string[];
}

export interface ApplyResult {
  readonly text: string;
  readonly unplaced: readonly UnplacedChange[];
}

/** Replaces the lines from `from` to `to` (exclusive, 0-based) of a text by `put`. */
export interface LineChange {
  readonly from: number;
  readonly to: number;
  readonly put: readonly string[];
}

/** A placed hunk. `start`: the 0-based line at which its context begins. */
type HunkPlace = LineChange & { readonly start: number };

/** Maximum number of context lines on each side that may differ. Hunks usually have as many. */
const MAX_FUZZ = 3;

/** Texts that differ in more lines are treated as entirely different, because comparing takes quadratic time. */
const MAX_EDIT_LENGTH = 5_000;

/** Number of context lines used to find a change again after the file has changed. */
const CONTEXT_LINES = 3;

export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Applies changes in order to a file's text (`''` if it doesn't exist). Line breaks become `\n`. */
export function* applyChanges(current: string, changes: readonly Change[]): Steps<ApplyResult> {
  let lines = linesOf(current);
  const unplaced: UnplacedChange[] = [];
  for (const change of changes) {
    if (change.kind === 'hunks') {
      unplaced.push(...(yield* applyHunks(lines, change.hunks)));
      continue;
    }
    const block = linesOf(change.text);
    // A comment with the path isn't part of the file unless the file already contains it.
    if (change.beginsWithPath && !lines.includes(block[0]!)) block.shift();
    const placed = isWhole(lines, block) ? wholeFile(lines, block) : yield* placeExcerpt(lines, block);
    if ('reason' in placed) unplaced.push({ reason: placed.reason, lines: block });
    else lines = placed.lines;
  }
  return { text: lines.join('\n'), unplaced };
}

/**
 * Whether a block is the whole file: it has no elision, is at least half as long, and begins like the file or contains
 * half of its lines. Every block is the whole of a blank file.
 */
function isWhole(file: readonly string[], block: readonly string[]): boolean {
  const nonBlank = file.filter((line) => !isBlank(line));
  if (nonBlank.length === 0) return true;
  if (block.some(isElision) || block.length * 2 < nonBlank.length) return false;
  const first = block.find((line) => !isBlank(line))?.trimEnd();
  if (first === nonBlank[0]!.trimEnd() && block.length * 2 >= file.length) return true;
  const parts = diffArrays(
    nonBlank.map((line) => line.trim()),
    block.map((line) => line.trim()),
    { maxEditLength: MAX_EDIT_LENGTH },
  );
  const kept = parts?.reduce((sum, part) => (part.added || part.removed ? sum : sum + part.value.length), 0);
  return kept !== undefined && kept * 2 >= nonBlank.length;
}

/** Replaces the whole file except its final line break, which is kept or remains missing. */
function wholeFile(file: readonly string[], block: readonly string[]): { readonly lines: string[] } {
  const lines = [...block];
  while (lines.length > 1 && lines.at(-1) === '') lines.pop();
  if (file.at(-1) === '') lines.push('');
  return { lines };
}

function* applyHunks(lines: string[], hunks: readonly Hunk[]): Steps<UnplacedChange[]> {
  const unplaced: UnplacedChange[] = [];
  let shift = 0;
  let cursor = 0;
  for (const hunk of hunks) {
    const found = yield* placeHunk(lines, hunk, cursor, shift);
    if ('reason' in found) {
      unplaced.push({ reason: found.reason, lines: hunk.find.length > 0 ? hunk.find : hunk.put });
      continue;
    }
    const { start, from, to, put } = found;
    lines.splice(from, to - from, ...put);
    if (hunk.line !== undefined) shift = start - (hunk.line - 1) + hunk.put.length - hunk.find.length;
    cursor = from + put.length;
  }
  return unplaced;
}

function* placeHunk(
  lines: readonly string[],
  { find, put, line }: Hunk,
  cursor: number,
  shift: number,
): Steps<HunkPlace | Pick<UnplacedChange, 'reason'>> {
  const hint = line === undefined ? undefined : line - 1 + shift;
  const head = commonLines(find, put);
  const tail = Math.min(commonLines(find.toReversed(), put.toReversed()), find.length - head, put.length - head);
  if (find.every(isBlank)) {
    const whole = [...put.slice(0, put.findLastIndex((one) => one !== '') + 1), ''];
    if (lines.every(isBlank)) return { start: 0, from: 0, to: lines.length, put: whole };
    if (hint === undefined || hint >= lines.length) return { reason: 'not_found' };
    const to = hint + find.length;
    if (find.length > 0 && lines.slice(hint, to).every(isBlank))
      return { start: hint, from: hint + head, to: to - tail, put: put.slice(head, put.length - tail) };
    // The line number of a hunk without context is that of the line before the insertion.
    return { start: hint, from: hint + 1, to: hint + 1, put };
  }
  for (let fuzz = 0; fuzz <= MAX_FUZZ; fuzz++) {
    const skip = Math.min(fuzz, head);
    const drop = Math.min(fuzz, tail);
    if (fuzz > 0 && skip < fuzz && drop < fuzz) break;
    const wanted = find.slice(skip, find.length - drop);
    if (wanted.every(isBlank)) break;
    for (const normalize of NORMALIZERS) {
      yield;
      const places = placesOf(lines, wanted, normalize);
      if (places.length === 0) continue;
      const from = choosePlace(places, hint === undefined ? undefined : hint + skip, cursor);
      if (from === undefined) return { reason: 'ambiguous' };
      const indent = reindent(lines.slice(from, from + wanted.length), wanted);
      const to = from + wanted.length;
      // Context lines aren't replaced, so that they keep the file's white space.
      const first = from + (head - skip);
      const last = to - (tail - drop);
      return { start: from - skip, from: first, to: last, put: put.slice(head, put.length - tail).map(indent) };
    }
  }
  yield;
  // If the change was applied before, its result is found instead.
  const [place, ...others] = put.some((one) => one.trim().length > 2) ? placesOf(lines, put, NORMALIZERS[1]!) : [];
  if (place !== undefined && others.length === 0) return { start: place, from: cursor, to: cursor, put: [] };
  return { reason: 'not_found' };
}

const NORMALIZERS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

function placesOf(lines: readonly string[], wanted: readonly string[], normalize: (line: string) => string): number[] {
  const keys = wanted.map(normalize);
  const places: number[] = [];
  for (let from = 0; from + keys.length <= lines.length; from++)
    if (keys.every((key, at) => normalize(lines[from + at]!) === key)) places.push(from);
  return places;
}

/** The place nearest to line `hint`. Without a hint, the only place, or the only one after the previous hunk. */
function choosePlace(places: readonly number[], hint: number | undefined, cursor: number): number | undefined {
  if (hint !== undefined) return places.toSorted((a, b) => Math.abs(a - hint) - Math.abs(b - hint))[0];
  if (places.length === 1) return places[0];
  const ahead = places.filter((place) => place >= cursor);
  return cursor > 0 && ahead.length === 1 ? ahead[0] : undefined;
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((line, at) => line !== b[at]);
  return different < 0 ? a.length : different;
}

/** Returns a function that indents lines like those of the file, given matching lines of the file and of the change. */
function reindent(actual: readonly string[], written: readonly string[]): (line: string) => string {
  const at = written.findIndex((line) => !isBlank(line));
  const [from, to] = [indentOf(written[at]!), indentOf(actual[at]!)];
  return (line) => (!isBlank(line) && line.startsWith(from) ? to + line.slice(from.length) : line);
}

/** The changes that turn `before` into `after`, in order. */
export function lineChanges(before: string, after: string): LineChange[] {
  const changes: LineChange[] = [];
  let at = 0;
  let open: { from: number; to: number; put: string[] } | undefined;
  const [old, wanted] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, wanted, { maxEditLength: MAX_EDIT_LENGTH });
  if (!parts) return [{ from: 0, to: old.length, put: wanted }];
  for (const part of parts) {
    if (part.added || part.removed) {
      if (!open) changes.push((open = { from: at, to: at, put: [] }));
      if (part.added) open.put.push(...part.value);
      else open.to = at += part.value.length;
    } else {
      open = undefined;
      at += part.value.length;
    }
  }
  return changes;
}

/** Applies the changes between `before` and `after` to `now`, a version of `before` that has been changed as well. */
export function reapplyChanges(before: string, after: string, now: string): ApplyResult {
  const [old, wanted] = [linesOf(before), linesOf(after)];
  let shift = 0;
  const hunks = lineChanges(before, after).map(({ from, to, put }): Hunk => {
    // When this change is placed, those before it are already applied.
    const head = wanted.slice(Math.max(0, from + shift - CONTEXT_LINES), from + shift);
    const tail = old.slice(to, to + CONTEXT_LINES);
    shift += put.length - (to - from);
    return {
      find: [...head, ...old.slice(from, to), ...tail],
      put: [...head, ...put, ...tail],
      line: from - head.length + 1,
    };
  });
  return runSynchronously(applyChanges(now, [{ kind: 'hunks', hunks }]));
}
