import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import MarkdownIt from 'markdown-it';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...globSync('docs/**/*.md', { cwd: root }).map((file) => file.split(path.sep).join('/')),
];

interface Page {
  /** Where links and images lead, as they are written. */
  readonly targets: readonly string[];
  /** Texts of headings. */
  readonly headings: readonly string[];
}

const markdown = new MarkdownIt();

function readPage(file: string): Page {
  const targets: string[] = [];
  const headings: string[] = [];
  const tokens = markdown.parse(read(file), {});
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') headings.push(tokens[at + 1]?.content ?? '');
    for (const inline of token.children ?? []) {
      const target = inline.attrGet('href') ?? inline.attrGet('src');
      if (target !== null) targets.push(String(target));
    }
  });
  return { targets, headings };
}

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** What is wrong with a link of a page; undefined when nothing is. */
function judge(page: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [file = '', anchor] = decodeURIComponent(target).split('#');
  const to = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (to.startsWith('..')) return `${target} leads out of the project`;
  if (!existsSync(path.join(root, to))) return `${target} leads nowhere`;
  if (anchor === undefined || !to.endsWith('.md')) return undefined;
  return readPage(to).headings.some((heading) => anchorOf(heading) === anchor) ? undefined : `${target} has no heading`;
}

/** Rows of the tables in requirements.md: the row's name, and the cell that says what shows it. */
function requirements(): readonly { readonly row: string; readonly evidence: string }[] {
  return read('docs/requirements.md')
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, row = '']) => /^[A-Z]\d+$/.test(row))
    .map(([, row = '', , evidence = '']) => ({ row, evidence }));
}

/** Paths in backticks, such as `test/unit/cli/cli.test.ts`. */
const pathsIn = (text: string): string[] =>
  Array.from(text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g), (match) => match[1] ?? '');

describe('the documentation', () => {
  for (const page of pages) {
    it(`has no dead link: ${page}`, () => {
      const faults = readPage(page).targets.flatMap((target) => judge(page, target) ?? []);
      assert.deepEqual(faults, []);
    });
  }

  it('notices a dead link, a missing heading and a link out of the project', () => {
    assert.equal(judge('docs/a.md', 'nothing.md'), 'nothing.md leads nowhere');
    assert.equal(judge('docs/a.md', '../README.md#no-such-heading'), '../README.md#no-such-heading has no heading');
    assert.equal(judge('docs/a.md', '../../elsewhere.md'), '../../elsewhere.md leads out of the project');
    assert.equal(judge('docs/a.md', '../README.md#get-started'), undefined);
  });

  it('lists every decision, under its own number', () => {
    const index = readPage('docs/adr/README.md').targets;
    const decisions = readdirSync(path.join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));
    assert.deepEqual([...index].sort(), decisions.sort());
    for (const name of decisions) {
      const number = Number(name.slice(0, 4));
      assert.ok(readPage(`docs/adr/${name}`).headings[0]?.startsWith(`${number}. `), `${name} begins with its number`);
    }
  });

  it('gives every decision a status', () => {
    for (const page of pages.filter((each) => /^docs\/adr\/\d{4}-/.test(each)))
      assert.match(read(page), /^# .+\n\nStatus: (?:accepted|superseded by \d+)/, page);
  });

  it('has a README that can be read in three minutes', () => {
    const words = read('README.md').split(/\s+/).length;
    assert.ok(words >= 500 && words <= 720, `${words} words`);
  });

  it('names tests by titles that are there', () => {
    const unknown = pages.flatMap((page) =>
      Array.from(read(page).matchAll(/`([\w./-]+\.test\.ts)`((?:\s*“[^”]+”,?)*)/g)).flatMap(
        ([, file = '', titles = '']) =>
          Array.from(titles.matchAll(/“([^”]+)”/g), (match) => match[1] ?? '')
            .filter((title) => !existsSync(path.join(root, file)) || !read(file).includes(title))
            .map((title) => `${page}: ${file}: ${title}`),
      ),
    );
    assert.deepEqual(unknown, []);
  });

  it('names settings that the manifest has', () => {
    const { contributes } = JSON.parse(read('package.json')) as {
      contributes: { configuration: { properties: Record<string, unknown> }[] };
    };
    const settings = new Set(contributes.configuration.flatMap(({ properties }) => Object.keys(properties)));
    for (const page of pages) {
      for (const [, name = ''] of read(page).matchAll(
        /`(threadkeeper\.(?:chat|summarizer|compression|task|recall)\.\w+)`/g,
      )) {
        assert.ok(settings.has(name), `${page} names ${name}, which is no setting`);
      }
    }
  });
});

describe('the page on compression', () => {
  it('has an example that runs as it stands', () => {
    const [, code = ''] = /```ts\n(.*?)```/s.exec(read('docs/compression.md')) ?? [];
    const loader = pathToFileURL(path.join(root, 'test/support/text-loader.mjs')).href;
    const said = execFileSync(process.execPath, ['--import', loader, '--input-type=module-typescript', '-'], {
      cwd: root,
      input: code,
      encoding: 'utf8',
    });
    assert.equal(said, 'true true true\n');
  });
});

describe('the operator’s guide', () => {
  it('explains every line that the product logs', () => {
    const guide = read('docs/operators-guide.md');
    const sources = globSync('src/{app,core,host,providers,storage}/**/*.ts', { cwd: root }).map(read);
    const lines = sources.flatMap((source) =>
      Array.from(source.matchAll(/\b(?:warn|event)\(\s*(['`])(.*?)\1/gs), ([, , line = '']) =>
        line.replace(/\$\{[^}]*\}/g, '…'),
      ),
    );
    assert.ok(lines.length >= 20, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => /[a-z]/i.test(line) && !guide.includes(`\`${line}\``)),
      [],
    );
  });
});

describe('the list of requirements', () => {
  it('says of each row what shows it, or that nothing does yet', () => {
    const rows = requirements();
    assert.ok(rows.length >= 40, `${rows.length} rows`);
    for (const { row, evidence } of rows) assert.notEqual(evidence, '', row);
  });

  it('names paths that exist', () => {
    const missing = requirements().flatMap(({ row, evidence }) =>
      pathsIn(evidence)
        .filter((file) => !existsSync(path.join(root, file)))
        .map((file) => `${row}: ${file}`),
    );
    assert.deepEqual(missing, []);
  });
});
