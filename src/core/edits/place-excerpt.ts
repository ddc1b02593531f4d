import type { Steps } from '../pace/steps.ts';
import { isElision } from './parse-edits.ts';

/** Maximum number of cells of the alignment's table: an excerpt of 400 lines in a file of 50,000. */
const MAX_CELLS = 20_000_000;
/** Lines read, or cells filled, between yields: about a millisecond. */
const PER_STEP = 4_000;

/** Cost of a line that only the excerpt has. */
const INSERTED = 0.3;
/** Cost of a line that only the file has, if it's blank or indented more than the excerpt's least indented line. */
const DELETED_INSIDE = 0.05;
/** Cost of other lines that only the file has. */
const DELETED_OUTSIDE = 1.5;
/** Minimum share of common words for two lines to be versions of each other. */
const MIN_SIMILARITY = 0.5;
/** Minimum share of the excerpt (by weight) that must match, unless its first line does. */
const MIN_MATCHED_SHARE = 0.3;

/**
 * The moves of an alignment: MATCH goes to the next line of both, INSERT and START to the next line of the excerpt, and
 * DELETE and KEEP to the next line of the file. START begins an elision; KEEP keeps a line of the file that it omits.
 */
const [START, MATCH, INSERT, DELETE, KEEP] = [0, 1, 2, 3, 4] as const;
type Move = 0 | 1 | 2 | 3 | 4;

type Placed = { readonly lines: string[] } | { readonly reason: 'not_found' | 'ambiguous' };

/**
 * Replaces the lines of which an excerpt is a new version. They are found by the best alignment (Needleman–Wunsch with
 * free ends in the file). Lines omitted by an elision, such as `// ...`, are kept.
 */
export function* placeExcerpt(lines: readonly string[], written: readonly string[]): Steps<Placed> {
  // The last line break isn't a blank line that could match.
  const ending = lines.at(-1) === '' ? [''] : [];
  const file = lines.slice(0, lines.length - ending.length);
  const block = yield* indentedLike(file, withoutBlankEnds(written));
  if (block.length === 0 || block.length * file.length > MAX_CELLS) return { reason: 'not_found' };
  const table = yield* align(file, block);
  // As arguments of `Math.max`, the lines of a large file would overflow the stack.
  const best = table.ends.reduce((a, b) => Math.max(a, b));
  const end = table.ends.indexOf(best);
  const path = trace(table, end);
  const anchor = block.findIndex((line) => !isElision(line));
  const isAnchored = path.some(({ move, block: at }) => move === MATCH && at === anchor);
  const weights = block.map((line) => (isElision(line) ? 0 : weight(line)));
  const matched = path.reduce((sum, { move, block: at }) => (move === MATCH ? sum + weights[at]! : sum), 0);
  const total = weights.reduce((sum, one) => sum + one, 0);
  const isStrong = path.some(({ move, block: at }) => move === MATCH && weights[at]! >= 1);
  if (!isStrong || (!isAnchored && matched < MIN_MATCHED_SHARE * total)) return { reason: 'not_found' };
  const start = path[0]!.file;
  for (let other = 0; other < table.ends.length; other++) {
    const endsInElision = table.moves[table.rows * table.width + other] === KEEP;
    if (other === end || endsInElision || table.ends[other]! < best - 1e-6) continue;
    if (trace(table, other)[0]!.file >= end) return { reason: 'ambiguous' };
  }
  const put = path.flatMap(({ move, file: at, block: of }) => {
    if (move === INSERT) return [block[of]!];
    if (move === MATCH) return [isSameLine(file[at]!, block[of]!) ? file[at]! : block[of]!];
    return move === KEEP ? [file[at]!] : [];
  });
  return { lines: [...file.slice(0, start), ...put, ...file.slice(bodyEnd(file, block, path, end)), ...ending] };
}

/** The end of the replaced lines. An excerpt from a header, such as a function's, into its body replaces the body. */
function bodyEnd(file: readonly string[], block: readonly string[], path: readonly Step[], end: number): number {
  const last = block.length - 1;
  const isLastNew = path.some(({ move, block: at }) => move === INSERT && at === last);
  const head = path.find(({ move }) => move === MATCH);
  if (!isLastNew || head?.block !== 0 || depth(block[last]!) <= depth(block[0]!)) return end;
  let to = end;
  for (let at = end; at < file.length; at++) {
    if (isBlank(file[at]!)) continue;
    if (depth(file[at]!) <= depth(file[head.file]!)) break;
    to = at + 1;
  }
  return to;
}

interface Table {
  readonly width: number;
  readonly moves: Uint8Array;
  /** The score of an alignment that ends before each line of the file. */
  readonly ends: Float64Array;
  readonly rows: number;
}

function* align(file: readonly string[], block: readonly string[]): Steps<Table> {
  const width = file.length + 1;
  const moves = new Uint8Array((block.length + 1) * width);
  const minDepth = Math.min(...block.filter((line) => !isBlank(line) && !isElision(line)).map(depth));
  /** The excerpt's words with the file's lines that contain them. */
  const linesWith = new Map<string, number[]>(block.flatMap((line) => [...wordsOf(line)].map((word) => [word, []])));
  const trimmed: string[] = [];
  const [deleted, words] = [new Float64Array(width), new Uint32Array(width)];
  for (const [at, line] of file.entries()) {
    if (at % PER_STEP === 0) yield;
    trimmed.push(line.trimEnd());
    deleted[at] = isBlank(line) || depth(line) > minDepth ? DELETED_INSIDE : DELETED_OUTSIDE;
    const found = wordsOf(line);
    words[at] = found.size;
    for (const word of found) linesWith.get(word)?.push(at);
  }
  let above = new Float64Array(width);
  for (const [row, line] of block.entries()) {
    const lineWeight = weight(line);
    const lineWords = wordsOf(line);
    const wanted = line.trimEnd();
    const isEdge = row === 0 || row === block.length - 1;
    const isElided = isElision(line);
    const here = new Float64Array(width);
    /** The number of words that each line of the file has in common with this one. */
    const common = new Uint32Array(width);
    for (const word of lineWords) for (const at of linesWith.get(word)!) common[at]!++;
    for (let at = 0; at < width; at++) {
      if (at % PER_STEP === 0) yield;
      // An elision keeps any number of the file's lines.
      let score = isElided ? above[at]! : above[at]! - INSERTED;
      let move: Move = isElided ? START : INSERT;
      const before = at === 0 ? -Infinity : here[at - 1]!;
      if (isElided && before > score) [score, move] = [before, KEEP];
      if (!isElided && at > 0) {
        const share = similarity(common[at - 1]!, words[at - 1]! + lineWords.size);
        const likeness = trimmed[at - 1] === wanted ? 1 : share * 0.6;
        const match = above[at - 1]! + lineWeight * likeness + (isEdge && likeness === 1 ? 0.5 : 0);
        if (likeness > 0 && match >= score) [score, move] = [match, MATCH];
        const skipped = before - deleted[at - 1]!;
        if (skipped > score) [score, move] = [skipped, DELETE];
      }
      here[at] = score;
      moves[(row + 1) * width + at] = move;
    }
    above = here;
  }
  return { width, moves, ends: above, rows: block.length };
}

interface Step {
  readonly move: Move;
  /** 0-based lines of the file and the block. For INSERT and START, `file` is the line after the step. */
  readonly file: number;
  readonly block: number;
}

function trace({ width, moves, rows }: Table, end: number): Step[] {
  const path: Step[] = [];
  let at = end;
  for (let row = rows; row > 0;) {
    const move = moves[row * width + at] as Move;
    if (move === MATCH || move === DELETE || move === KEEP) at--;
    path.push({ move, file: at, block: row - 1 });
    if (move === MATCH || move === INSERT || move === START) row--;
  }
  return path.reverse();
}

const depth = (line: string): number => indentOf(line).length;

export const isBlank = (line: string): boolean => line.trim() === '';

const isSameLine = (a: string, b: string): boolean => a.trimEnd() === b.trimEnd();

/** How distinctive a line is: brackets and blank lines least. */
function weight(line: string): number {
  const letters = line.replace(/[^\p{L}\p{N}]/gu, '').length;
  if (letters > 2) return 1 + Math.min(letters, 40) / 20;
  return isBlank(line) ? 0.1 : 0.5;
}

const wordsOf = (line: string): ReadonlySet<string> => new Set(line.match(/[\p{L}\p{N}_]+/gu));

/** The Dice coefficient of two lines that have `total` words, `common` of them in both; 0 below `MIN_SIMILARITY`. */
function similarity(common: number, total: number): number {
  const share = common === 0 ? 0 : (2 * common) / total;
  return share >= MIN_SIMILARITY ? share : 0;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !isBlank(line));
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

/** Indents a block by the additional indentation that most of its lines have in the file. */
function* indentedLike(file: readonly string[], block: readonly string[]): Steps<readonly string[]> {
  const wanted = new Set(block.map((line) => line.trim()));
  const indents = new Map<string, string | undefined>();
  for (const [at, line] of file.entries()) {
    if (at % PER_STEP === 0) yield;
    const bare = line.trim();
    if (!wanted.has(bare)) continue;
    // Undefined for lines that occur with different indentation.
    indents.set(bare, indents.has(bare) && indents.get(bare) !== indentOf(line) ? undefined : indentOf(line));
  }
  const votes = new Map<string, number>();
  for (const line of block) {
    const fileIndent = indents.get(line.trim());
    if (fileIndent === undefined || line.trim().length < 3) continue;
    const blockIndent = indentOf(line);
    if (!fileIndent.endsWith(blockIndent)) continue;
    const extra = fileIndent.slice(0, fileIndent.length - blockIndent.length);
    votes.set(extra, (votes.get(extra) ?? 0) + 1);
  }
  const [winner] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [''];
  return winner === '' ? block : block.map((line) => (isBlank(line) ? line : winner + line));
}

export const indentOf = (line: string): string => /^\s*/.exec(line)![0];
