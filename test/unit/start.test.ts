import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { START_LIMIT } from '../../scripts/packaging/budget.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START = 'src/host/extension.ts';
/** What the start is made of: all else is the product, which is read when it is used. */
const PARTS = /^src\/host\/(extension|registration|platform\/(ids|lazy[\w-]*))\.ts$/;

type Outputs = esbuild.Metafile['outputs'];

/**
 * Wakes the extension in an editor that has nothing, and prints which files that read and what it left for later; then
 * which file is read first when the settings become what is given next, or trust is granted.
 */
const WAKER = `
import { registerHooks } from 'node:module';
const [entry, settings, next] = process.argv.slice(1);
let now = JSON.parse(settings);
const nothing = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing), apply: () => nothing, construct: () => nothing,
});
globalThis.editor = new Proxy({
  workspace: new Proxy({
    get isTrusted() { return now.isTrusted; },
    getConfiguration: () => ({ get: () => now.tools }),
    onDidGrantWorkspaceTrust: (listener) => changes.push(listener),
    onDidChangeConfiguration: (listener) => changes.push(() => listener({ affectsConfiguration: (name) => name === 'threadkeeper.sources' })),
  }, { get: (own, name) => name in own ? own[name] : nothing }),
}, { get: (own, name) => own[name] ?? nothing, has: () => true, getOwnPropertyDescriptor: () => undefined });
const read = [];
const changes = [];
registerHooks({
  resolve: (name, context, next) => name === 'vscode' ? { url: 'editor:vscode', format: 'module', shortCircuit: true } : next(name, context),
  load: (url, context, next) => {
    if (url !== 'editor:vscode') { read.push(url); return next(url, context); }
    const names = ['window', 'workspace', 'commands', 'l10n', 'Uri', 'ExtensionMode', 'Disposable', 'EventEmitter'];
    return { format: 'module', shortCircuit: true, source: 'export const ' + names.map((name) => name + ' = editor.' + name).join(', ') };
  },
});
const timers = [];
globalThis.setTimeout = (_work, ms) => timers.push(ms);
const { activate } = await import(entry);
await activate({ subscriptions: [], extensionUri: nothing, extensionMode: 1, workspaceState: { get: () => now.isUsed === true } });
await new Promise((resolve) => setImmediate(resolve));
const names = () => read.map((url) => url.split('/').at(-1));
const woken = { read: names(), timers };
if (next === undefined) console.log(JSON.stringify(woken));
else {
  now = JSON.parse(next);
  changes.forEach((tell) => tell());
  while (read.length === woken.read.length) await new Promise((resolve) => setImmediate(resolve));
  console.log(JSON.stringify(names()[woken.read.length]));
  process.exit();
}
`;

/** The product's bundle as the build splits it. */
async function outputs(outdir: string): Promise<Outputs> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [START],
    bundle: true,
    metafile: true,
    minify: true,
    keepNames: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outdir,
    outExtension: { '.js': '.mjs' },
    external: ['vscode'],
    loader: { '.md': 'text' },
    logLevel: 'silent',
  });
  return metafile.outputs;
}

/** The files that are read at once when `name` is. */
function readAtOnce(all: Outputs, name: string, found = new Set<string>()): ReadonlySet<string> {
  found.add(name);
  for (const { path: to, kind, external } of all[name]?.imports ?? [])
    if (kind === 'import-statement' && external !== true && !found.has(to)) readAtOnce(all, to, found);
  return found;
}

describe('what is read when the extension wakes', () => {
  let all: Outputs;
  let early: ReadonlySet<string>;
  let folder = '';

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-start-'));
    all = await outputs(folder);
    const entry = Object.keys(all).find((name) => all[name]?.entryPoint === START);
    assert.ok(entry);
    early = readAtOnce(all, entry);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** How it wakes with the first settings; with the others, what it reads once they hold. */
  const wake = (
    ...settings: readonly { readonly tools: unknown; readonly isTrusted: boolean; readonly isUsed?: boolean }[]
  ): unknown =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          WAKER,
          path.join(folder, 'extension.mjs'),
          ...settings.map((one) => JSON.stringify(one)),
        ],
        // A change may leave nothing to do: then it is asked in vain.
        { encoding: 'utf8', stdio: ['ignore', 'pipe', settings.length > 1 ? 'ignore' : 'inherit'], timeout: 60_000 },
      ),
    );

  it('sleeps on until it is used, where no tool’s chats are kept or the workspace is not trusted', () => {
    const asleep = { read: [...early].map((name) => path.basename(name)), timers: [] };
    assert.deepEqual(wake({ tools: [], isTrusted: true }), asleep);
    assert.deepEqual(wake({ tools: undefined, isTrusted: true }), asleep);
    assert.deepEqual(wake({ tools: ['claude-code'], isTrusted: false }), asleep);
  });

  for (const [what, settings] of [
    ['no chats at once where some are kept', { tools: ['claude-code'], isTrusted: true }],
    ['no session at once where the workspace has one', { tools: [], isTrusted: false, isUsed: true }],
  ] as const)
    it(`reads ${what}, and nothing that could`, () => {
      const { read, timers } = wake(settings) as { read: string[]; timers: number[] };
      assert.deepEqual(
        read,
        [...early].map((name) => path.basename(name)),
      );
      assert.equal(timers.length, 1);
      assert.ok(timers[0]! >= 5_000, 'other extensions come first');
    });

  it('wakes the product when a tool is chosen or the workspace is trusted later', () => {
    const late = Object.keys(all).find((name) => all[name]?.entryPoint === 'src/host/threadkeeper.ts');
    assert.ok(late);
    const kept = { tools: ['claude-code'], isTrusted: true };
    assert.equal(wake({ tools: [], isTrusted: true }, kept), path.basename(late));
    assert.equal(wake({ tools: ['claude-code'], isTrusted: false }, kept), path.basename(late));
  });

  it('is what registers, and nothing of the product', () => {
    const modules = [...early].flatMap((name) => Object.keys(all[name]?.inputs ?? {}));
    assert.ok(modules.includes('src/host/registration.ts'));
    assert.deepEqual(
      modules.filter((name) => !PARTS.test(name)),
      [],
    );
  });

  it('is within its budget', () => {
    const bytes = [...early].reduce((sum, name) => sum + (all[name]?.bytes ?? 0), 0);
    assert.ok(bytes < START_LIMIT, `${bytes} bytes`);
  });

  it('leaves the product to be read later', () => {
    const late = Object.keys(all).filter((name) => !early.has(name));
    assert.ok(late.some((name) => Object.hasOwn(all[name]?.inputs ?? {}, 'src/host/threadkeeper.ts')));
  });
});
