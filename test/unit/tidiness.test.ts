import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
/** So many lines of code are as much as one reads at once. */
const LONGEST = 300;
/** So many equal lines in two places are one thing that was written twice. */
const COPY = 7;

interface Line {
  /** Without indentation. */
  readonly text: string;
  /** From 1. */
  readonly nr: number;
}

/** The lines of a file that say something: no blank ones and no comments. */
function codeOf(source: string): Line[] {
  let inComment = false;
  return source.split('\n').flatMap((raw, at): Line[] => {
    const text = raw.trim();
    if (!inComment && text.startsWith('/*')) inComment = true;
    const isComment = inComment || text === '' || text.startsWith('//');
    if (inComment && text.includes('*/')) inComment = false;
    return isComment ? [] : [{ text, nr: at + 1 }];
  });
}

/** The lines that can be a copy: imports are alike everywhere, and so are the ends of blocks. */
function comparable(code: readonly Line[]): Line[] {
  let inImport = false;
  return code.filter(({ text }) => {
    inImport ||= /^(import|export) (type )?[{*]/.test(text);
    const isPart = inImport || text.startsWith('import ');
    if (inImport && /['"];$/.test(text)) inImport = false;
    return !isPart && /[\w'"`]/.test(text);
  });
}

/** Where the same lines stand in two places, as `file:line = file:line`, once for each stretch. */
function copiesIn(files: ReadonlyMap<string, string>): string[] {
  const seen = new Map<string, { readonly place: string; readonly at: number; readonly file: string }>();
  const copies: string[] = [];
  for (const [file, source] of files) {
    const lines = comparable(codeOf(source));
    let toldUpTo = 0;
    for (let at = 0; at + COPY <= lines.length; at++) {
      const stretch = lines
        .slice(at, at + COPY)
        .map(({ text }) => text)
        .join('\n');
      const place = `${file}:${lines[at]!.nr}`;
      const before = seen.get(stretch);
      if (!before) seen.set(stretch, { place, at, file });
      else if (at >= toldUpTo && (before.file !== file || at >= before.at + COPY)) {
        copies.push(`${before.place} = ${place}`);
        toldUpTo = at + COPY;
      }
    }
  }
  return copies;
}

function sources(...folders: readonly string[]): Map<string, string> {
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  );
  // The benchmark's own packages lie in its folder.
  const isOurs = (name: string): boolean =>
    !name.startsWith(path.join('test', 'fixtures')) && !name.includes('node_modules');
  const code = names.filter((name) => /\.(tsx?|mjs|css)$/.test(name) && isOurs(name));
  return new Map(code.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

describe('the sources', () => {
  it(`have no file of more than ${LONGEST} lines of code`, () => {
    const long = [...sources('src', 'scripts', 'test')].flatMap(([name, source]) => {
      const lines = codeOf(source).length;
      return lines > LONGEST ? [`${name}: ${lines}`] : [];
    });
    assert.deepEqual(long, []);
  });

  it(`say nothing twice in ${COPY} lines or more`, () => {
    assert.deepEqual(copiesIn(sources('src')), []);
  });

  it('are found to when they do, wherever the lines stand', () => {
    const lines = Array.from({ length: COPY }, (_, at) => `  const a${at} = ${at};`);
    const [one, other] = [['x();', ...lines, '}', 'y();'].join('\n'), ['z();', '', '// why', ...lines].join('\n')];
    assert.deepEqual(
      copiesIn(
        new Map([
          ['a.ts', one],
          ['b.ts', other],
        ]),
      ),
      ['a.ts:2 = b.ts:4'],
    );
    assert.deepEqual(copiesIn(new Map([['a.ts', `${one}\n${other}`]])), ['a.ts:2 = a.ts:14']);
    assert.deepEqual(
      copiesIn(
        new Map([
          ['a.ts', one],
          ['b.ts', other.replace('= 3', '= 4')],
        ]),
      ),
      [],
    );
    assert.equal(codeOf('/**\n * Why.\n */\na();\n\n// b\nc();').length, 2);
  });
});
