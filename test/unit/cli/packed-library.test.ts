import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { folderForAllTests } from '../../support/per-test.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../../..');
const bin = (name: string): string => path.join(root, 'node_modules/.bin', name);

/** What packing creates or doesn't need. */
const NOT_COPIED = ['.git', '.vscode-test', 'coverage', 'dist', 'node_modules', 'out'];

/** A program that consists of the example in docs/library.md, with a summarizer and messages filled in. */
const example = (markdown: string): string => {
  const code = /```js\n([\s\S]*?)```/.exec(markdown)?.[1] ?? assert.fail('there is no example');
  return [
    'const myModel = async (_system, prompt) => `The harbour was described: ${prompt.length} characters.`;',
    code.replace(
      '// …',
      "...Array.from({ length: 200 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `Boat ${n} lies at pier ${n}.` })),",
    ),
    'console.log(JSON.stringify({ text, tokens, levels, compressed, events: events.length }));',
  ].join('\n');
};

describe('packed library', () => {
  let folder: string;
  folderForAllTests((made) => (folder = made));
  before(async () => {
    // Packing builds dist/, so do it in a copy: other tests use this one's.
    const clone = path.join(folder, 'clone');
    for (const name of await readdir(root)) {
      if (!NOT_COPIED.includes(name)) await cp(path.join(root, name), path.join(clone, name), { recursive: true });
    }
    await symlink(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
    await run('npm', ['pack', '--pack-destination', folder], { cwd: clone });
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const home = path.join(folder, 'node_modules/threadkeeper');
    await mkdir(home, { recursive: true });
    await run('tar', ['xzf', path.join(folder, archive!), '--strip-components=1', '-C', home]);
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  });

  it('runs the documented example outside the repository', async () => {
    await writeFile(
      path.join(folder, 'example.js'),
      example(await readFile(path.join(root, 'docs/library.md'), 'utf8')),
    );
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder });
    const printed = JSON.parse(stdout) as { text: string; tokens: number; compressed: unknown[] };
    assert.match(printed.text, /The harbour was described/);
    assert.ok(printed.tokens <= 500);
    assert.ok(printed.compressed.length >= 7);
  });

  it('contains the command line', async () => {
    const command = path.join(folder, 'node_modules/threadkeeper/dist/cli.js');
    const { stdout } = await run(process.execPath, [command, '--version'], { cwd: folder });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('can be loaded with require as well as import, and exports the documented functions', async () => {
    const program = "console.log(Object.keys(require('threadkeeper')).sort().join())";
    await writeFile(path.join(folder, 'required.cjs'), program);
    const { stdout } = await run(process.execPath, ['required.cjs'], { cwd: folder });
    assert.equal(stdout, 'compressPreserveEvents,summarizeHierarchical,summarizeRecursive\n');
  });

  it('has types that compile in strict mode without other packages', async () => {
    const program = [
      "import { compressPreserveEvents, summarizeRecursive, type LibraryMessage, type Summarizer } from 'threadkeeper';",
      "const messages: LibraryMessage[] = [{ role: 'user', content: 'Hi.' }];",
      'const summarizer: Summarizer = ({ prompt }) => Promise.resolve(prompt);',
      'export const text: string = (await summarizeRecursive(messages, 100, { summarizer })).text;',
      'const { events, nodes } = await compressPreserveEvents(messages, 100);',
      'export const quote: string = events[0]!.quote;',
      // Fails to compile if the type is `any`.
      '// @ts-expect-error a string',
      'export const kind: number = events[0]!.kind;',
      '// @ts-expect-error a string',
      'export const brief: number = nodes[0]!.node.brief;',
    ].join('\n');
    await writeFile(path.join(folder, 'program.ts'), program);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom'];
    await run(bin('tsc'), [...options, 'program.ts'], { cwd: folder });
  });
});
