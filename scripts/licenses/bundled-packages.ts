import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';
import GITLEAKS from '../../src/core/redact/gitleaks-rules.json' with { type: 'json' };
import { inNodeModules, root } from '../support/paths.ts';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its license file; '' if it has none. */
  readonly text: string;
}

/** Packages whose files are copied to `dist/` instead of bundled. */
const COPIED = ['@vscode/codicons'];

/** Data from elsewhere, with its license. */
const VENDORED = [
  { name: 'gitleaks rules', version: GITLEAKS.version, license: 'MIT', file: 'src/core/redact/gitleaks.LICENSE' },
];

/** The packages in the files that `esbuild.mjs` builds, according to the bundler, sorted by name. */
export async function bundledPackages(): Promise<readonly BundledPackage[]> {
  const inputs = await Promise.all([
    inputsOf({ entryPoints: ['src/host/extension.ts'], platform: 'node', format: 'esm', external: ['vscode'] }),
    inputsOf({
      entryPoints: ['src/webview/main.tsx', 'src/webview/style.css'],
      platform: 'browser',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    inputsOf({ entryPoints: ['src/cli/main.ts', 'src/worker/main.ts'], platform: 'node', format: 'esm' }),
  ]);
  const folders = new Set([...COPIED.map((name) => inNodeModules(name)), ...inputs.flat().flatMap(folderOf)]);
  const packages = await Promise.all([...folders].map(describe));
  for (const { file, ...one } of VENDORED) {
    packages.push({ ...one, text: (await readFile(path.join(root, file), 'utf8')).trim() });
  }
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function inputsOf(options: esbuild.BuildOptions): Promise<string[]> {
  const { metafile } = await esbuild.build({
    ...options,
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'out/licenses',
    splitting: options.format === 'esm',
    loader: { '.md': 'text' },
    logLevel: 'silent',
  });
  // Packages of which tree shaking leaves nothing aren't part of the product.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file),
  );
}

/** The folder of a bundled file's package; empty for the project's own files. */
function folderOf(file: string): string[] {
  const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/s.exec(file) ?? [];
  return folder === undefined ? [] : [path.join(root, folder)];
}

async function describe(folder: string): Promise<BundledPackage> {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = (await readdir(folder)).find((one) => /^licen[cs]e(\.(md|txt))?$/i.test(one));
  const text = file === undefined ? '' : await readFile(path.join(folder, file), 'utf8');
  return { name, version, license: license ?? 'unknown', text: text.replaceAll('\r\n', '\n').trim() };
}
