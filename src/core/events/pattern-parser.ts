/** Characters; a longer pattern is a program, not a rule. */
const LONGEST_PATTERN = 1000;
const MOST_REPEATS = 100;
const MOST_DEPTH = 50;

export type Test = (code: number) => boolean;
export type Anchor = 'start' | 'end' | 'boundary' | 'inside';

export type PatternNode =
  | { readonly type: 'char'; readonly test: Test }
  | { readonly type: 'anchor'; readonly anchor: Anchor }
  | { readonly type: 'seq'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'alt'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number };

/** Why a pattern is refused, in words for its author. */
export class PatternProblem extends Error {}

const isDigit: Test = (code) => code >= 48 && code <= 57;
/** Letters of any script count as parts of words, unlike in JavaScript's `\w`: rules are written in many languages. */
export const isWord: Test = (code) =>
  isDigit(code) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  (code >= 0xaa && /[\p{L}\p{N}]/u.test(String.fromCharCode(code)));
const isSpace: Test = (code) =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000 || code === 0x2028 || code === 0x2029;
const not =
  (test: Test): Test =>
  (code) =>
    !test(code);

function literal(code: number): Test {
  const character = String.fromCharCode(code);
  const lower = character.toLowerCase();
  const upper = character.toUpperCase();
  const a = lower.length === 1 ? lower.charCodeAt(0) : code;
  const b = upper.length === 1 ? upper.charCodeAt(0) : code;
  return (other) => other === code || other === a || other === b;
}

const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

/** Recursive descent over the pattern's text; throws a problem that its author can read. */
export class PatternParser {
  private at = 0;
  private depth = 0;
  private readonly source: string;
  constructor(source: string) {
    if (source.length > LONGEST_PATTERN) throw new PatternProblem('the pattern is too long');
    this.source = source;
  }

  parse(): PatternNode {
    const node = this.alternatives();
    if (this.at < this.source.length) throw new PatternProblem('a closing bracket has no opening one');
    return node;
  }

  private alternatives(): PatternNode {
    if (++this.depth > MOST_DEPTH) throw new PatternProblem('brackets are nested too deep');
    const parts = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      parts.push(this.sequence());
    }
    this.depth--;
    return parts.length === 1 ? parts[0]! : { type: 'alt', parts };
  }

  private sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')')
      parts.push(this.repeated());
    return { type: 'seq', parts };
  }

  private repeated(): PatternNode {
    let node = this.atom();
    for (;;) {
      const range = this.quantifier();
      if (range === undefined) return node;
      if (node.type === 'anchor') throw new PatternProblem('nothing to repeat');
      node = { type: 'repeat', part: node, least: range[0], most: range[1] };
    }
  }

  private quantifier(): readonly [number, number] | undefined {
    const mark = this.source[this.at];
    let range: readonly [number, number] | undefined;
    if (mark === '*') range = [0, Infinity];
    else if (mark === '+') range = [1, Infinity];
    else if (mark === '?') range = [0, 1];
    else if (mark === '{') {
      const match = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(this.source.slice(this.at, this.at + 12));
      if (match === null) return undefined;
      const least = Number(match[1]);
      const most = match[2] === undefined ? least : match[3] === '' ? Infinity : Number(match[3]);
      if (least > MOST_REPEATS || (most !== Infinity && most > MOST_REPEATS))
        throw new PatternProblem(`at most ${MOST_REPEATS} repeats`);
      if (most < least) throw new PatternProblem('the numbers in {} are out of order');
      range = [least, most];
      this.at += match[0].length - 1;
    }
    if (range === undefined) return undefined;
    this.at++;
    // Whether a match is short or long does not matter to a test for a match.
    if (this.source[this.at] === '?') this.at++;
    return range;
  }

  private atom(): PatternNode {
    const mark = this.source[this.at]!;
    this.at++;
    switch (mark) {
      case '(':
        return this.group();
      case '[':
        return { type: 'char', test: this.characterClass() };
      case '.':
        return { type: 'char', test: (code) => code !== 10 && code !== 13 };
      case '^':
        return { type: 'anchor', anchor: 'start' };
      case '$':
        return { type: 'anchor', anchor: 'end' };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw new PatternProblem('nothing to repeat');
      default:
        return { type: 'char', test: literal(mark.charCodeAt(0)) };
    }
  }

  private group(): PatternNode {
    if (this.source[this.at] === '?') {
      const kind = /^\?(?::|<[A-Za-z]\w{0,40}>)/.exec(this.source.slice(this.at, this.at + 50));
      if (kind === null) throw new PatternProblem('looking ahead or behind is not supported in rules');
      this.at += kind[0].length;
    }
    const node = this.alternatives();
    if (this.source[this.at] !== ')') throw new PatternProblem('a bracket is not closed');
    this.at++;
    return node;
  }

  private escape(): PatternNode {
    const mark = this.source[this.at];
    if (mark === 'b' || mark === 'B') {
      this.at++;
      return { type: 'anchor', anchor: mark === 'b' ? 'boundary' : 'inside' };
    }
    if (mark !== undefined && mark >= '1' && mark <= '9')
      throw new PatternProblem('back-references are not supported in rules');
    if (mark === 'k') throw new PatternProblem('back-references are not supported in rules');
    return { type: 'char', test: this.escaped() };
  }

  private escaped(): Test {
    const mark = this.source[this.at];
    if (mark === undefined) throw new PatternProblem('the pattern ends with a backslash');
    this.at++;
    switch (mark) {
      case 'd':
        return isDigit;
      case 'D':
        return not(isDigit);
      case 'w':
        return isWord;
      case 'W':
        return not(isWord);
      case 's':
        return isSpace;
      case 'S':
        return not(isSpace);
      case 'u':
      case 'x': {
        const digits = (mark === 'u' ? /^[0-9a-f]{4}/i : /^[0-9a-f]{2}/i).exec(this.source.slice(this.at, this.at + 4));
        if (digits === null) return literal(mark.charCodeAt(0));
        this.at += digits[0].length;
        return literal(parseInt(digits[0], 16));
      }
      case 'p':
      case 'P':
        throw new PatternProblem(String.raw`\p is not supported in rules; \w holds the letters of all scripts`);
      default:
        return literal(CONTROL[mark] ?? mark.charCodeAt(0));
    }
  }

  private characterClass(): Test {
    const negated = this.source[this.at] === '^';
    if (negated) this.at++;
    const tests: Test[] = [];
    while (this.at < this.source.length && this.source[this.at] !== ']') {
      const low = this.source.charCodeAt(this.at);
      let test: Test;
      let plain = true;
      if (this.source[this.at] === '\\') {
        this.at++;
        test = this.escaped();
        plain = false;
      } else {
        this.at++;
        test = literal(low);
      }
      const high = this.source.charCodeAt(this.at + 1);
      if (
        plain &&
        this.source[this.at] === '-' &&
        this.at + 1 < this.source.length &&
        this.source[this.at + 1] !== ']' &&
        this.source[this.at + 1] !== '\\'
      ) {
        if (high < low) throw new PatternProblem('a range in [] is out of order');
        this.at += 2;
        test = inRange(low, high);
      }
      tests.push(test);
    }
    if (this.at >= this.source.length) throw new PatternProblem('a square bracket is not closed');
    this.at++;
    const any: Test = (code) => tests.some((test) => test(code));
    return negated ? not(any) : any;
  }
}

function inRange(low: number, high: number): Test {
  return (code) => {
    if (code >= low && code <= high) return true;
    const character = String.fromCharCode(code);
    const lower = character.toLowerCase().charCodeAt(0);
    const upper = character.toUpperCase().charCodeAt(0);
    return (lower >= low && lower <= high) || (upper >= low && upper <= high);
  };
}
