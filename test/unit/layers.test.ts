import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { folderForEachTest } from '../support/per-test.ts';

const require = createRequire(import.meta.url);
const root = path.resolve(import.meta.dirname, '../..');
const depcruise = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** For each rule, a module with an import that the rule must report. */
const PLANTED: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'core-is-innermost': ['src/core/asks-app.ts', "import { a } from '../app/plain.ts';\nexport const b = a;\n"],
  'app-uses-core': ['src/app/asks-storage.ts', "import { a } from '../storage/plain.ts';\nexport const b = a;\n"],
  'providers-are-adapters': ['src/providers/asks-storage.ts', "export { a } from '../storage/plain.ts';\n"],
  'storage-is-an-adapter': [
    'src/storage/asks-host.ts',
    "import type { A } from '../host/plain.ts';\nexport type B = A;\n",
  ],
  'sources-are-adapters': ['src/sources/asks-storage.ts', "export { a } from '../storage/plain.ts';\n"],
  'protocol-is-shared': ['src/protocol/asks-app.ts', "export { a } from '../app/plain.ts';\n"],
  'cli-is-a-root': ['src/cli/asks-host.ts', "export { a } from '../host/plain.ts';\n"],
  'mcp-is-a-root': ['src/mcp/asks-providers.ts', "export { a } from '../providers/plain.ts';\n"],
  'host-is-a-root': ['src/host/asks-sources.ts', "export { a } from '../sources/plain.ts';\n"],
  'worker-is-a-root': ['src/worker/asks-host.ts', "export { a } from '../host/plain.ts';\n"],
  'webview-is-a-page': ['src/webview/asks-app.ts', "export { a } from '../app/plain.ts';\n"],
  'webview-takes-only-types-of-core': ['src/webview/asks-core.ts', "export { a } from '../core/plain.ts';\n"],
  'core-and-protocol-are-pure': ['src/core/reads-files.ts', "export { readFileSync } from 'node:fs';\n"],
  'core-has-no-sdk': ['src/core/asks-sdk.ts', "import OpenAI from 'openai';\nexport const b = OpenAI;\n"],
  'only-host-knows-vscode': ['src/app/asks-editor.ts', "import * as vscode from 'vscode';\nexport const b = vscode;\n"],
  'sdks-stay-in-providers': ['src/cli/asks-sdk.ts', "import OpenAI from 'openai';\nexport const b = OpenAI;\n"],
  'protocol-library-stays-in-mcp': [
    'src/cli/asks-protocol.ts',
    "import { McpServer } from '@modelcontextprotocol/server';\nexport const b = McpServer;\n",
  ],
  'no-circles': ['src/core/circle-a.ts', "export { b as c } from './circle-b.ts';\n"],
};

/** Two folders that import each other, although no files do. */
const FOLDER_CYCLE: Readonly<Record<string, string>> = {
  'src/storage/left/one.ts': "export { a } from '../right/one.ts';\n",
  'src/storage/right/one.ts': 'export const a = 1;\n',
  'src/storage/right/two.ts': "export { b } from '../left/two.ts';\n",
  'src/storage/left/two.ts': 'export const b = 1;\n',
};

const LAYERS = 'core app providers storage sources protocol host cli mcp worker webview'.split(' ');

describe('the layer check', function () {
  let folder: string;

  const write = (file: string, text: string): void => {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const check = (): { readonly code: number | null; readonly output: string } => {
    // NODE_OPTIONS may contain relative paths, which don't exist in this folder.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const args = [depcruise, '--config', '.dependency-cruiser.cjs', 'src'];
    const run = spawnSync(process.execPath, args, { cwd: folder, env });
    return { code: run.status, output: run.stdout.toString() + run.stderr.toString() };
  };

  folderForEachTest((made) => (folder = made));
  beforeEach(() => {
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json'])
      cpSync(path.join(root, file), path.join(folder, file));
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    for (const layer of LAYERS) write(`src/${layer}/plain.ts`, 'export const a = 1;\nexport type A = number;\n');
  });

  it('accepts allowed imports', () => {
    write('src/app/allowed.ts', "import { a } from '../core/plain.ts';\nexport const b = a;\n");
    write('src/webview/allowed.ts', "import type { A } from '../core/plain.ts';\nexport type B = A;\n");
    write('src/host/allowed.ts', "import * as vscode from 'vscode';\nexport const b = vscode;\n");
    write('src/providers/allowed.ts', "import OpenAI from 'openai';\nexport const b = OpenAI;\n");
    const { code, output } = check();
    assert.equal(code, 0, output);
  });

  it('is tested for each rule', () => {
    const { forbidden } = require(path.join(root, '.dependency-cruiser.cjs')) as { forbidden: { name: string }[] };
    const rules = forbidden.map(({ name }) => name);
    assert.deepEqual(rules.sort(), [...Object.keys(PLANTED), 'no-folder-cycles'].sort());
  });

  it('fails on each forbidden import', () => {
    write('src/core/circle-b.ts', "export { c as b } from './circle-a.ts';\n");
    for (const [file, text] of Object.values(PLANTED)) write(file, text);
    const { code, output } = check();
    assert.notEqual(code, 0);
    for (const [rule, [file]] of Object.entries(PLANTED))
      assert.match(output, new RegExp(`error ${rule}: ${file}`), `${rule} does not notice ${file}:\n${output}`);
  });

  it('fails on folders that import each other', () => {
    for (const [file, text] of Object.entries(FOLDER_CYCLE)) write(file, text);
    assert.match(check().output, /error no-folder-cycles: src\/storage\/left/);
  });
});
