// Builds dist/: the extension, its worker thread, the chat page, the command line, and the library. `node esbuild.mjs [--watch]`.
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const watch = process.argv.includes('--watch');

/** @type {esbuild.BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  outdir: dist,
  logLevel: 'info',
  loader: { '.md': 'text' },
  legalComments: 'none',
  sourcemap: watch ? 'inline' : false,
  minify: !watch,
  // Names appear in stack traces, and SDKs read those of their error classes.
  keepNames: true,
  // By default, esbuild escapes all characters beyond ASCII, which doubles the size of texts in other scripts.
  charset: 'utf8',
  define: { 'process.env.NODE_ENV': watch ? '"development"' : '"production"' },
};

/**
 * Writes esbuild's output files, each converted by `convert`. esbuild doesn't write them itself, because some need
 * another step first.
 * @param {(file: esbuild.OutputFile) => Promise<string | Uint8Array>} convert
 * @returns {esbuild.Plugin}
 */
const writeOutputs = (convert) => ({
  name: 'write-outputs',
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      for (const file of result.outputFiles ?? []) {
        await mkdir(path.dirname(file.path), { recursive: true });
        await writeFile(file.path, await convert(file));
      }
    });
  },
});

/**
 * The extension host loads CommonJS, but esbuild only splits ES modules. So ES modules are split first, and each file is
 * then converted to CommonJS. A module that is imported with `import()` gets its own file, which is loaded on demand. A
 * module that several files import exists only once, so `instanceof` works across files.
 */
const toCommonJs = {
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  supported: { 'dynamic-import': false },
  sourcemap: watch ? 'inline' : false,
  minify: !watch,
  charset: 'utf8',
  logLevel: 'warning',
};

/** The output files that are loaded together with `entry`: itself, and those that it imports statically. */
function staticallyLoaded(outputs, entry, found = new Set()) {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const { path: to, kind, external } of outputs[entry].imports) {
    if (kind === 'import-statement' && !external) staticallyLoaded(outputs, to, found);
  }
  return found;
}

/**
 * Joins the output files that are loaded together with an entry, because loading each file takes time. If other files
 * need one of the joined files, they get it from the entry, so that it still exists only once.
 * @type {esbuild.Plugin}
 */
const joinAndWrite = {
  name: 'join-and-write',
  setup(build) {
    build.onEnd(async ({ errors, outputFiles = [], metafile }) => {
      if (errors.length > 0 || !metafile) return;
      const texts = new Map(outputFiles.map((file) => [path.basename(file.path), file.text]));
      /** The entry into which each output file is joined. @type {Map<string, string>} */
      const homes = new Map();
      for (const entry of ENTRIES) {
        const output = Object.keys(metafile.outputs).find((name) => path.basename(name) === entry);
        for (const name of staticallyLoaded(metafile.outputs, output)) {
          if (!homes.has(path.basename(name))) homes.set(path.basename(name), entry);
        }
      }
      await mkdir(path.join(dist, 'chunks'), { recursive: true });
      for (const entry of ENTRIES) await writeFile(path.join(dist, entry), await join(entry, homes, texts));
      for (const [name, text] of texts) {
        const home = homes.get(name);
        if (home === name) continue;
        const code = home
          ? `module.exports=require("../${home}").chunks["${name}"];\n`
          : (await esbuild.transform(text, toCommonJs)).code;
        await writeFile(path.join(dist, 'chunks', name), code);
      }
    });
  },
};

/** The code of an entry and of the output files that are joined into it. */
async function join(entry, homes, texts) {
  const shared = [...homes].filter(([name, home]) => home === entry && name !== entry).map(([name]) => name);
  const contents = [
    `export * from './${entry}';`,
    ...shared.map((name, at) => `import * as chunk${at} from './${name}';`),
    `export const chunks = {${shared.map((name, at) => `'${name}': chunk${at}`).join()}};`,
  ].join('\n');
  const splitFiles = {
    name: 'split-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.cjs$/ }, ({ path: to, kind }) => {
        const name = path.basename(to);
        if (homes.get(name) === entry) return { path: name, namespace: 'split' };
        const isEntry = kind === 'dynamic-import' && ENTRIES.includes(name);
        return { path: isEntry ? `./${name}` : `./chunks/${name}`, external: true };
      });
      onLoad({ filter: /.*/, namespace: 'split' }, ({ path: name }) => ({ contents: texts.get(name) }));
    },
  };
  const { outputFiles } = await esbuild.build({
    ...toCommonJs,
    bundle: true,
    write: false,
    external: ['vscode'],
    stdin: { contents, resolveDir: dist },
    plugins: [splitFiles],
  });
  return outputFiles[0].contents;
}

/** The file that VS Code loads at activation, and the product, which is loaded on first use. */
const ENTRIES = ['extension.cjs', 'product.cjs'];

/** @type {esbuild.BuildOptions} */
const extension = {
  ...common,
  entryPoints: { extension: 'src/host/extension.ts', product: 'src/host/threadkeeper.ts' },
  outExtension: { '.js': '.cjs' },
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  splitting: true,
  platform: 'node',
  target: 'node20',
  external: ['vscode'],
  metafile: true,
  plugins: [joinAndWrite],
};

/** The worker thread that follows chats from other tools. @type {esbuild.BuildOptions} */
const thread = {
  ...common,
  entryPoints: { 'all-chats': 'src/worker/main.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  plugins: [writeOutputs(async (file) => file.contents)],
};

const HASHBANG = '#!/usr/bin/env node\n';

/** The command line, and the library that package.json exports. @type {esbuild.BuildOptions} */
const cli = {
  ...common,
  entryPoints: { cli: 'src/cli/main.ts', library: 'src/app/public-api.ts' },
  define: { ...common.define, 'process.env.THREADKEEPER_VERSION': JSON.stringify(version) },
  chunkNames: 'cli-chunks/[name]-[hash]',
  format: 'esm',
  splitting: true,
  platform: 'node',
  target: 'node20',
  // Bundled CommonJS packages load Node.js modules with `require`, which doesn't exist in ES modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  plugins: [
    writeOutputs(async (file) => {
      const isEntry = path.basename(file.path) === 'cli.js';
      return isEntry && !file.text.startsWith('#!') ? HASHBANG + file.text : file.contents;
    }),
  ],
};

/** @type {esbuild.BuildOptions} */
const page = {
  ...common,
  entryPoints: [
    { in: 'src/webview/main.tsx', out: 'webview' },
    { in: 'src/webview/style.css', out: 'webview' },
  ],
  format: 'iife',
  platform: 'browser',
  target: ['chrome130'],
  keepNames: false,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [writeOutputs(async (file) => file.contents)],
};

async function copyIcons() {
  const from = path.join(root, 'node_modules/@vscode/codicons/dist');
  for (const name of ['codicon.css', 'codicon.ttf']) await copyFile(path.join(from, name), path.join(dist, name));
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await copyIcons();
await copyFile(
  path.join(root, 'test/fixtures/demo-workspace/sample-session.jsonl'),
  path.join(dist, 'sample-session.jsonl'),
);
if (watch) {
  for (const options of [extension, thread, cli, page]) await (await esbuild.context(options)).watch();
} else {
  try {
    await Promise.all([extension, thread, cli, page].map((options) => esbuild.build(options)));
    await chmod(path.join(dist, 'cli.js'), 0o755);
  } catch {
    // esbuild has already printed the errors.
    process.exitCode = 1;
  }
}
