import assert from 'node:assert/strict';
import { applyChanges, lineChanges, reapplyChanges } from '../../../src/core/edits/apply-changes.ts';
import { parseEdits } from '../../../src/core/edits/parse-edits.ts';
import { runSynchronously } from '../../../src/core/pace/steps.ts';

const DEBOUNCE = `import { clock } from './clock';

export function debounce(run: () => void, ms: number): () => void {
  let timer: number | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}

export function throttle(run: () => void, ms: number): () => void {
  let last = 0;
  return () => {
    if (clock.now() - last < ms) return;
    last = clock.now();
    run();
  };
}
`;

/** The file's text after applying a reply, and the number of changes that couldn't be placed. */
function applied(reply: string, current: string, path?: string): { text: string; unplaced: number; reasons: string[] } {
  const edits = parseEdits(reply).filter((edit) => edit.path === path);
  assert.ok(edits.length > 0, `an edit of ${path}: ${JSON.stringify(parseEdits(reply))}`);
  const { text, unplaced } = runSynchronously(
    applyChanges(
      current,
      edits.map(({ change }) => change),
    ),
  );
  return { text, unplaced: unplaced.length, reasons: unplaced.map(({ reason }) => reason) };
}

const fenced = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\``;

describe('parser for edits in a reply', () => {
  for (const [how, reply] of [
    ['after the language', fenced('ts src/a.ts', 'x')],
    ['after a colon', fenced('ts:src/a.ts', 'x')],
    ['in a title attribute', fenced('ts title="src/a.ts"', 'x')],
    ['on the preceding line', `Here you are.\n\nsrc/a.ts\n${fenced('ts', 'x')}`],
    ['in bold', `**src/a.ts**\n\n${fenced('ts', 'x')}`],
    ['as a heading', `### 1. \`src/a.ts\`\n${fenced('ts', 'x')}`],
    ['in the preceding sentence', `Change the handler in \`src/a.ts\` like this:\n\n${fenced('ts', 'x')}`],
    ['in a comment', fenced('ts', '// src/a.ts\nx')],
    ['in a labeled comment', fenced('ts', '// filepath: src/a.ts\nx')],
    ['in a diff header', fenced('diff', '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-x\n+y')],
    ['before a SEARCH block', fenced('', 'src/a.ts\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE')],
    ['before a SEARCH block outside any fence', 'src/a.ts\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE'],
  ] as const)
    it(`recognizes a file name ${how}`, () => {
      const paths = parseEdits(reply).map(({ path }) => path);
      assert.deepEqual(paths, ['src/a.ts']);
    });

  it('does not mistake a dotted name, a URL or a sentence before the code for a file name', () => {
    for (const before of [
      'Call `console.log` first:',
      'Run this:',
      'Since v1.2 of the API:',
      'See https://a.example/b.ts',
    ])
      assert.deepEqual(
        parseEdits(`${before}\n\n${fenced('ts', 'x')}`).map(({ path }) => path),
        [undefined],
        before,
      );
  });

  it('keeps code fences inside a SEARCH block', () => {
    const reply = fenced(
      'md',
      'README.md\n<<<<<<< SEARCH\n```sh\nnpm i\n```\n=======\n```sh\nnpm ci\n```\n>>>>>>> REPLACE',
    );
    assert.equal(applied(reply, '# A\n\n```sh\nnpm i\n```\n', 'README.md').text, '# A\n\n```sh\nnpm ci\n```\n');
  });

  it('ignores a SEARCH block without an end, and finds the edits after it', () => {
    const unclosed = '<<<<<<< SEARCH\na\n=======\nb';
    const closed = '<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE';
    for (const reply of [
      `${fenced('ts src/a.ts', unclosed)}\n\n${fenced('ts src/b.ts', closed)}`,
      fenced('ts src/b.ts', `${unclosed}\n${closed}`),
      `src/a.ts\n${unclosed}\n\nsrc/b.ts\n${closed}`,
    ])
      assert.deepEqual(
        parseEdits(reply).map(({ path, change }) => [path, change]),
        [['src/b.ts', { kind: 'hunks', hunks: [{ path: 'src/b.ts', find: ['x'], put: ['y'] }] }]],
        reply,
      );
    const paths = parseEdits(`${fenced('ts src/a.ts', unclosed)}\n\n${fenced('ts src/b.ts', 'y')}`).map(
      ({ path }) => path,
    );
    assert.deepEqual(paths, ['src/b.ts']);
  });

  it('finds the edits after a quoted merge conflict', () => {
    const conflict = '<<<<<<< HEAD\nlet a = 1;\n=======\nlet a = 2;\n>>>>>>> feature/two';
    for (const quoted of [fenced('', conflict), conflict]) {
      const reply = `You have a conflict:\n\n${quoted}\n\nResolved:\n\n${fenced('ts src/a.ts', 'let a = 2;')}`;
      const edits = parseEdits(reply).map(({ path, code }) => [path, code]);
      assert.deepEqual(edits, [['src/a.ts', 'let a = 2;']]);
    }
  });
});

describe('whole-file edit', () => {
  it('replaces the entire file and keeps its final line break', () => {
    const reply = fenced('ts src/debounce.ts', DEBOUNCE.trimEnd().replace('last = 0', 'last = -Infinity'));
    const { text, unplaced } = applied(reply, DEBOUNCE, 'src/debounce.ts');
    assert.equal(text, DEBOUNCE.replace('last = 0', 'last = -Infinity'));
    assert.equal(unplaced, 0);
  });

  it('creates a file that does not exist', () =>
    assert.equal(applied(fenced('ts src/b.ts', 'export const b = 1;'), '', 'src/b.ts').text, 'export const b = 1;\n'));

  it('drops the comment that names the file', () => {
    const reply = fenced('ts', `// src/debounce.ts\n${DEBOUNCE.trimEnd()}`);
    assert.equal(applied(reply, DEBOUNCE, 'src/debounce.ts').text, DEBOUNCE);
  });

  it('keeps a heading that looks like the name of another file', () => {
    const reply = `README.md\n${fenced('md', '# Next.js\n\nAn app.')}`;
    assert.equal(applied(reply, '', 'README.md').text, '# Next.js\n\nAn app.\n');
  });
});

describe('excerpt', () => {
  const place = (code: string, current = DEBOUNCE) =>
    applied(fenced('ts src/debounce.ts', code), current, 'src/debounce.ts');

  it('replaces only the function that it redefines', () => {
    const throttle = `export function throttle(run: () => void, ms: number): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => (waiting = false), ms);
    run();
  };
}`;
    const { text, unplaced } = place(throttle);
    assert.equal(text, `${DEBOUNCE.slice(0, DEBOUNCE.indexOf('export function throttle'))}${throttle}\n`);
    assert.equal(unplaced, 0);
  });

  it('matches a function even when it changes the signature', () => {
    const { text } = place(`export function debounce(run: () => void, ms: number, leading = false): () => void {
  let timer: number | undefined;
  if (leading) run();
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}`);
    assert.equal(
      text,
      DEBOUNCE.replace(
        'ms: number): () => void {\n  let timer',
        'ms: number, leading = false): () => void {\n  let timer',
      ).replace('undefined;\n', 'undefined;\n  if (leading) run();\n'),
    );
  });

  it('keeps the code that it marks as omitted', () => {
    const { text, unplaced } = place(`// ... existing code ...
export function throttle(run: () => void, ms: number): () => void {
  let last = -Infinity;
  // ...
    last = clock.now();
    log('ran');
    run();
  // ...
}`);
    assert.equal(unplaced, 0);
    assert.equal(
      text,
      DEBOUNCE.replace('last = 0', 'last = -Infinity').replace('    run();\n', "    log('ran');\n    run();\n"),
    );
  });

  it('inserts new code after the code that precedes it in the excerpt', () => {
    const { text } = place(`import { clock } from './clock';
import { log } from './log';
// ...
export function throttle(run: () => void, ms: number): () => void {
// ...
}

export const noop = (): void => undefined;`);
    assert.equal(
      text,
      `${DEBOUNCE.replace("'./clock';\n", "'./clock';\nimport { log } from './log';\n")}\nexport const noop = (): void => undefined;\n`,
    );
  });

  it('adopts the file’s indentation and replaces the entire body of a Python function', () => {
    const python =
      'class A:\n    def size(self):\n        total = 0\n        for one in self.all:\n            total += 1\n        return total\n\n    def name(self):\n        return self._name\n';
    const { text } = place('def size(self):\n    return len(self.all)', python);
    assert.equal(text, python.replace(/ {8}total = 0[^]*return total/, '        return len(self.all)'));
  });

  it('is placed in a file of 200,000 lines', () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => `row ${row}`);
    const { text } = place('row 1000\nrow 1000b\nrow 1001', rows.join('\n'));
    assert.equal(text, rows.toSpliced(1001, 0, 'row 1000b').join('\n'));
  });

  it('is rejected when its code matches twice or not at all', () => {
    const twice =
      'function a() {\n  return total;\n}\nfunction b() {\n  return total;\n}\nconst c = 1;\nconst d = 2;\nconst e = 3;\n';
    assert.deepEqual(place('  return total;', twice).reasons, ['ambiguous']);
    assert.deepEqual(place('  return total;', twice).text, twice);
    assert.deepEqual(place('class Unrelated {\n  nothing = true;\n}').reasons, ['not_found']);
  });

  it('is placed in a file of 20,000 lines in steps that each take about a millisecond', () => {
    const file = Array.from({ length: 20_000 }, (_, n) => `  const total${n % 977} = count + index + size${n};`);
    const excerpt = file.slice(12_000, 12_300).with(150, '  const total = 0;');
    const steps = applyChanges(file.join('\n'), [{ kind: 'text', text: excerpt.join('\n') }]);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    assert.deepEqual(step.value, { text: file.with(12_150, '  const total = 0;').join('\n'), unplaced: [] });
    assert.ok(count >= (file.length * excerpt.length) / 10_000, `${count} steps`);
  });
});

describe('unified diff', () => {
  const diff = (body: string): string => fenced('diff', `--- a/src/debounce.ts\n+++ b/src/debounce.ts\n${body}`);
  const place = (body: string, current = DEBOUNCE) => applied(diff(body), current, 'src/debounce.ts');
  const wanted = DEBOUNCE.replace('last = 0', 'last = -Infinity');

  it('is placed by its context, regardless of its line numbers', () => {
    for (const head of ['@@ -11,4 +11,4 @@', '@@ -90,4 +90,4 @@', '@@ ... @@', '@@'])
      assert.equal(
        place(
          `${head}\n export function throttle(run: () => void, ms: number): () => void {\n-  let last = 0;\n+  let last = -Infinity;\n   return () => {`,
        ).text,
        wanted,
        head,
      );
  });

  it('is placed despite a wrong context line, as patch does', () => {
    assert.equal(
      place('@@ -11,4 +11,4 @@\n // not there\n-  let last = 0;\n+  let last = -Infinity;\n   return () => {').text,
      wanted,
    );
  });

  it('applies to the match nearest to its line number, and to none of several without a line number', () => {
    const body = '   return () => {\n+    count++;';
    assert.equal(
      place(`@@ -13,1 +13,2 @@\n${body}`).text,
      DEBOUNCE.replace('last = 0;\n  return () => {\n', 'last = 0;\n  return () => {\n    count++;\n'),
    );
    assert.deepEqual(place(`@@ @@\n${body}`).reasons, ['ambiguous']);
  });

  it('applies to the numbered one of several matches, whether the hunk before has context or was already applied', () => {
    const block = 'begin\n  step();\nend';
    const change = ' begin\n-  step();\n+  leap();\n end';
    const changed = block.replace('step', 'leap');
    assert.equal(
      place(`@@ -1,4 +1,4 @@\n a\n b\n c\n-d\n+D\n@@ -5,3 +5,3 @@\n${change}`, `a\nb\nc\nd\n${block}\n\n${block}\n`)
        .text,
      `a\nb\nc\nD\n${changed}\n\n${block}\n`,
    );
    assert.equal(
      place(`@@ -5 +5 @@\n-d\n+Done\n@@ -6,3 +6,3 @@\n${change}`, `${block}\n\nDone\n${block}\n`).text,
      `${block}\n\nDone\n${changed}\n`,
    );
  });

  it('keeps an ellipsis as context if it omits no lines, and otherwise splits there', () => {
    const stub = 'def f():\n    ...\nx = 1\ndef g():\n    ...\nx = 1\n';
    assert.equal(place('@@ -4,3 +4,3 @@\n def g():\n     ...\n-x = 1\n+x = 2', stub).text, stub.replace(/1\n$/, '2\n'));
    assert.equal(place('@@ -1,9 +1,9 @@\n-a\n+A\n ...\n-z\n+Z', 'a\nb\nc\nz\n').text, 'A\nb\nc\nZ\n');
  });

  it('adds and removes lines next to blank lines by its line number', () => {
    assert.equal(place('@@ -3 +2,0 @@\n-', 'a\nb\n\nc\n').text, 'a\nb\nc\n');
    assert.equal(place('@@ -3 +3,2 @@\n \n+new', 'a\nb\n\nc\n').text, 'a\nb\n\nnew\nc\n');
    assert.equal(place('@@ -2,0 +3 @@\n+new', 'a\nb\n\nc\n').text, 'a\nb\nnew\n\nc\n');
  });

  it('creates new files and empties deleted ones', () => {
    const reply = fenced(
      'diff',
      '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+export {};\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone();',
    );
    assert.equal(applied(reply, '', 'new.ts').text, 'export {};\n');
    assert.equal(applied(reply, 'gone();\n', 'old.ts').text, '');
  });

  it('changes nothing when it has already been applied', () => {
    const body = '@@ -12 +12 @@\n-  let last = 0;\n+  let last = -Infinity;';
    assert.deepEqual(place(body, wanted), { text: wanted, unplaced: 0, reasons: [] });
  });
});

describe('SEARCH/REPLACE block', () => {
  const block = (find: string, put: string): string =>
    `src/debounce.ts\n${fenced('ts', `<<<<<<< SEARCH\n${find}\n=======\n${put}\n>>>>>>> REPLACE`)}`;

  it('replaces the lines it searches for, with several blocks applied in order', () => {
    const reply = `${block('  let last = 0;', '  let last = -1;')}\n${block('    run();', '    log();\n    run();')}`;
    assert.equal(
      applied(reply, DEBOUNCE, 'src/debounce.ts').text,
      DEBOUNCE.replace('last = 0', 'last = -1').replace('    run();', '    log();\n    run();'),
    );
  });

  it('matches despite different white space and adopts the file’s indentation', () => {
    const reply = block('last = clock.now();\nrun();', 'run();\nlast = clock.now();');
    assert.equal(
      applied(reply, DEBOUNCE.replaceAll('\n', '\r\n'), 'src/debounce.ts').text,
      DEBOUNCE.replace('    last = clock.now();\n    run();', '    run();\n    last = clock.now();'),
    );
  });

  it('reports a search text that is not found and still applies the other blocks', () => {
    const reply = `${block('nothing();', 'something();')}\n${block('  let last = 0;', '  let last = -1;')}`;
    const { text, reasons } = applied(reply, DEBOUNCE, 'src/debounce.ts');
    assert.deepEqual(reasons, ['not_found']);
    assert.equal(text, DEBOUNCE.replace('last = 0', 'last = -1'));
  });

  it('is looked for in steps, so that many blocks that are not in a large file don’t block', () => {
    const hunk = { find: ['no such line', 'nor this'], put: ['x'] };
    const steps = applyChanges('total\n'.repeat(50_000), [{ kind: 'hunks', hunks: [hunk, hunk, hunk] }]);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    assert.deepEqual([step.value.unplaced.length, count >= 9], [3, true]);
  });
});

describe('reply with edits to several files', () => {
  for (const [how, fence] of [
    ['in separate fences', (code: string) => fenced('', code)],
    ['without fences', (code: string) => code],
  ] as const)
    it(`assigns SEARCH/REPLACE blocks without a file name to the last named file: ${how}`, () => {
      const block = (find: string, put: string): string =>
        fence(`<<<<<<< SEARCH\n${find}\n=======\n${put}\n>>>>>>> REPLACE`);
      const reply = `src/a.ts\n${block('a', 'A')}\n${block('b', 'B')}\n\nsrc/b.ts\n${block('c', 'C')}\n${fenced('sh', 'npm ci')}\nThen:\n\n${block('d', 'D')}`;
      assert.deepEqual(applied(reply, 'a\nb\n', 'src/a.ts'), { text: 'A\nB\n', unplaced: 0, reasons: [] });
      assert.deepEqual(applied(reply, 'c\nd\n', 'src/b.ts'), { text: 'C\nD\n', unplaced: 0, reasons: [] });
    });

  it('yields a separate edit for each file', () => {
    const reply = `Two changes.\n\n**src/a.ts**\n${fenced('ts', 'a')}\n\n${fenced('diff', '--- a/src/b.ts\n+++ b/src/b.ts\n@@ @@\n-b\n+c\n--- a/src/c.ts\n+++ b/src/c.ts\n@@ @@\n-d\n+e')}`;
    const paths = parseEdits(reply).map(({ path }) => path);
    assert.deepEqual(paths, ['src/a.ts', 'src/b.ts', 'src/c.ts']);
  });
});

describe('changes between two texts', () => {
  it('are determined by line and can be reapplied to a text that has changed elsewhere', () => {
    const after = DEBOUNCE.replace('last = 0', 'last = 1').replace('let timer', 'let pending');
    assert.deepEqual(lineChanges(DEBOUNCE, after), [
      { from: 3, to: 4, put: ['  let pending: number | undefined;'] },
      { from: 11, to: 12, put: ['  let last = 1;'] },
    ]);
    const now = `// A comment.\n${DEBOUNCE}`;
    assert.deepEqual(reapplyChanges(DEBOUNCE, after, now), { text: `// A comment.\n${after}`, unplaced: [] });
    assert.deepEqual(reapplyChanges('', 'new\n', '\n'), { text: 'new\n', unplaced: [] });
    const adjacent = reapplyChanges('a;\nold();\n', 'a;\nnew();\n\nmore();\n', '// b\na;\nold();\n');
    assert.deepEqual(adjacent, { text: '// b\na;\nnew();\n\nmore();\n', unplaced: [] });
    const gone = now.replace('  let last = 0;\n', '');
    assert.equal(reapplyChanges(DEBOUNCE, after, gone).unplaced.length, 1);
  });
});
