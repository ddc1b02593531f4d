import assert from 'node:assert/strict';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { START_LIMIT } from '../../scripts/packaging/budget.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START = 'src/host/extension.ts';
/** What the start is made of: all else is the product, which is read when it is used. */
const PARTS = /^src\/host\/(extension|registration|platform\/(ids|lazy[\w-]*))\.ts$/;

type Outputs = esbuild.Metafile['outputs'];

/** The product's bundle as the build splits it. */
async function outputs(): Promise<Outputs> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [START],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    keepNames: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outdir: 'out/start',
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

  before(async () => {
    all = await outputs();
    const entry = Object.keys(all).find((name) => all[name]?.entryPoint === START);
    assert.ok(entry);
    early = readAtOnce(all, entry);
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
