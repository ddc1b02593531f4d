import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import { POLICIES, POLICY_NAMES } from '../../src/core/policy/policy.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...globSync('docs/**/*.md', { cwd: root }).map((file) => file.split(path.sep).join('/')),
];

interface Page {
  readonly targets: readonly string[];
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

/** GitHub's anchor for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

function problemWith(page: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [file = '', anchor] = decodeURIComponent(target).split('#');
  const to = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (to.startsWith('..')) return `${target} leads out of the project`;
  if (!existsSync(path.join(root, to))) return `${target} leads nowhere`;
  if (anchor === undefined || !to.endsWith('.md')) return undefined;
  return readPage(to).headings.some((heading) => anchorOf(heading) === anchor) ? undefined : `${target} has no heading`;
}

/** Rows of the tables in requirements.md: the row's name, and the cell with its evidence. */
function requirements(): readonly { readonly row: string; readonly evidence: string }[] {
  return read('docs/requirements.md')
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, row = '']) => /^[A-Z]\d+$/.test(row))
    .map(([, row = '', , evidence = '']) => ({ row, evidence }));
}

const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, unknown> }[];
    views: Record<string, { id: string }[]>;
  };
};
const { commands, configuration, views } = manifest.contributes;
const contributed = new Set([
  ...commands.map(({ command }) => command),
  ...configuration.flatMap(({ properties }) => Object.keys(properties)),
  ...Object.values(views).flatMap((list) => list.map(({ id }) => id)),
]);
/** The sections of settings, such as `chat`. */
const sections = new Set([...contributed].map((id) => id.split('.')[1] ?? ''));
const files = globSync(['{src,scripts,test,l10n,media,docs,.github}/**/*', '*.*'], { cwd: root });
const names = new Set(files.map((file) => path.basename(file)));
const sources = globSync(['{src,scripts,test}/**/*.{ts,tsx,mjs,cjs,md}', '*.mjs', '.*.cjs', 'package*.json'], {
  cwd: root,
})
  .map(read)
  .join('\n');
const words = new Set(sources.match(/[\w$]+/g));
/** The product's UI texts, with `…` for values. */
const shown = [
  ...Object.values(JSON.parse(read('package.nls.json')) as Record<string, string>),
  ...Object.keys(JSON.parse(read('l10n/bundle.l10n.json')) as object),
  // Texts of VS Code itself.
  'Extensions: Install from VSIX…',
  'Chat: Export Chat…',
  'MCP: Open User Configuration',
].map((text) => text.replace(/\{\d\}/g, '…'));
/** Names of other programs. */
const FOREIGN = [
  'conversations.json',
  'api_conversation_history.json',
  'parentUuid',
  'OLLAMA_CONTEXT_LENGTH',
  'parsePatch',
  'applyPatch',
];

/** Commands, texts, settings, files, scripts, options, and identifiers on a page that don't exist. */
function unknownNames(page: string, markdown: string): string[] {
  const text = markdown.replace(/```.*?```/gs, '');
  const isShown = (title: string): boolean =>
    shown.some((one) => one === title || (title.length > 30 && one.startsWith(title))) ||
    sources.includes(`'${title}'`);
  const exists = (file: string): boolean =>
    existsSync(path.join(root, file)) || existsSync(path.join(root, 'src', file));
  const isUnknown = (code: string): boolean => {
    if (FOREIGN.includes(code)) return false;
    if (/^threadkeeper\.\w/.test(code)) return ![...contributed].some((id) => id === code || id.startsWith(`${code}.`));
    const [section = '', name, ...rest] = code.split('.');
    if (sections.has(section) && name !== undefined && !/^(?:ts|md|json)$/.test(name) && rest.length === 0)
      return !contributed.has(`threadkeeper.${code}`);
    if (/^(?:npm run|threadkeeper|node dist\/cli\.js) /.test(code))
      return code.split(' ').some((word, at, all) => {
        if (all[at - 1] === 'run') return !(word in manifest.scripts);
        return word.startsWith('--') && !sources.includes(word.slice(2));
      });
    if (/^(?:src|test|scripts|docs|l10n|media|core|app|host|cli)\/[\w./-]+$/.test(code)) return !exists(code);
    if (/^[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|json)$/.test(code)) return !names.has(code);
    return /^[A-Za-z_$][\w$]*$/.test(code) && /[a-z][A-Z]|_/.test(code) && !words.has(code);
  };
  const isGuide = /^(?:README|docs\/(?:tutorial|chat|how-to))/.test(page);
  const marked =
    page === 'docs/benchmarks.md' ? [] : text.matchAll(/(?<![\w`*])_([A-Z][^_\n]*)_(?!\w)|\*\*([A-Z][^*\n]*)\*\*/g);
  const titles = Array.from(
    marked,
    ([, italic, bold]) => italic ?? (isGuide || bold?.startsWith('Threadkeeper: ') ? bold : undefined),
  ).flatMap((title) => title?.replace(/^Threadkeeper: /, '') ?? []);
  return [
    ...titles.filter((title) => !/[.?]$/.test(title) && !isShown(title)),
    ...Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code).filter(isUnknown),
  ];
}

describe('documentation', () => {
  for (const page of pages) {
    it(`has no dead links: ${page}`, () => {
      const faults = readPage(page).targets.flatMap((target) => problemWith(page, target) ?? []);
      assert.deepEqual(faults, []);
    });
  }

  it('lists every decision record under its own number', () => {
    const index = readPage('docs/adr/README.md').targets;
    const decisions = readdirSync(path.join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));
    assert.deepEqual([...index].sort(), decisions.sort());
    for (const name of decisions) {
      const number = Number(name.slice(0, 4));
      assert.ok(readPage(`docs/adr/${name}`).headings[0]?.startsWith(`${number}. `), `${name} begins with its number`);
    }
  });

  it('uses one structure for every decision record', () => {
    for (const page of pages.filter((each) => /^docs\/adr\/\d{4}-/.test(each))) {
      const text = read(page);
      const [, title = ''] = /^# \d+\. (.+)\n\nStatus: (?:accepted|superseded by \d+)\n/.exec(text) ?? [];
      assert.ok(title !== '' && read('docs/adr/README.md').includes(`[${title}](${path.basename(page)})`), page);
      const sections = Array.from(text.matchAll(/^## (.+)$/gm), ([, section]) => section);
      assert.deepEqual(sections, ['Context', 'Decision', 'Consequences'], page);
    }
  });

  it('has a README that can be read in three minutes', () => {
    const words = read('README.md').split(/\s+/).length;
    assert.ok(words >= 500 && words <= 720, `${words} words`);
  });

  it('cites only test titles that exist', () => {
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

  for (const page of pages.filter((each) => !/^(?:THIRD|docs\/settings)/.test(each))) {
    it(`mentions only names that exist: ${page}`, () => assert.deepEqual(unknownNames(page, read(page)), []));
  }
});

describe('operator’s guide', () => {
  it('explains every line that the product logs, and no other', () => {
    const guide = read('docs/operators-guide.md');
    const sources = globSync('src/{app,core,host,providers,storage}/**/*.ts', { cwd: root }).map(read);
    const lines = sources.flatMap((source) =>
      Array.from(source.matchAll(/\b(?:warn|event)\((.*?)\)(?:;|,?\n)/gs)).flatMap(([, values = '']) =>
        Array.from(values.matchAll(/(['`])(.*?)\1/gs), ([, , line = '']) => line.replace(/\$\{[^}]*\}/g, '…')),
      ),
    );
    assert.ok(lines.length >= 20, `${lines.length} lines`);
    const unknown = lines.filter((line) => /[a-z]/i.test(line) && !guide.includes(`\`${line}\``));
    assert.deepEqual(unknown, []);
    const [, warnings = ''] = /^\| Warning .*?\n\|.*?\n(.*?)\n\n/ms.exec(guide) ?? [];
    const explained = warnings.split('\n').flatMap((row) => {
      const [, cell = ''] = row.split('|');
      return Array.from(cell.matchAll(/`(.*?)`/g), ([, line = '']) => line);
    });
    assert.deepEqual(
      explained.filter((line) => !lines.includes(line)),
      [],
      'warnings that are no longer logged',
    );
  });
});

describe('trigger table', () => {
  it('matches the triggers of the policies', () => {
    const guide = read('docs/operators-guide.md');
    const shown = (value: number | null): string => (value === null ? 'off' : value.toLocaleString('en'));
    for (const name of ['share', 'tokens', 'messages', 'every', 'ageMs'] as const) {
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${name === 'ageMs' ? 'age' : name}\``));
      const cells = row?.split('|').map((cell) => cell.trim()) ?? [];
      const expected = POLICY_NAMES.map((policy) => {
        const { [name]: value } = POLICIES[policy].triggers;
        return name === 'ageMs' && value !== null ? `${value / 3_600_000} h` : shown(value);
      });
      assert.deepEqual(cells.slice(4, -1), expected, name);
    }
  });
});

describe('requirements list', () => {
  it('states the evidence for every requirement, or that there is none yet', () => {
    const rows = requirements();
    assert.ok(rows.length >= 40, `${rows.length} rows`);
    for (const { row, evidence } of rows) assert.notEqual(evidence, '', row);
  });
});
