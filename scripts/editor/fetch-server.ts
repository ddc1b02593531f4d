import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { editorFolder } from '../support/paths.ts';
import { ExpectedError } from '../support/expected-error.ts';
import { runCommand } from '../support/processes.ts';

/** VS Code's server 1.139.1, as contained in the package `code-server`, which pins its dependencies. */
const VERSION = '4.139.1';
const SHA512 = 'fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';
/** The major version of Node.js for which its native modules are built. */
const NODE_MAJOR = '24';

const folder = path.join(editorFolder, 'host', VERSION);

const serverMain = path.join(folder, 'out/server-main.js');

/** The extension host requires this module at startup. It only ends the host if the parent process has died. */
const WATCHDOG = 'node_modules/@vscode/native-watchdog/build/Release';
const WATCHDOG_STUB = 'exports.start = () => {};\nexports.exit = (code) => process.exit(code);\n';

/** The module that writes log files. It's replaced by `plain-log.cjs` if its native part is missing. */
const LOG = 'node_modules/@vscode/spdlog';

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd });
  if (code !== 0) throw new ExpectedError(`"${command} ${args.join(' ')}" failed (${code}):\n${output}`);
}

const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

async function install(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await run('npm', ['pack', `code-server@${VERSION}`, '--pack-destination', into, ...quiet], into);
  const archive = path.join(into, `code-server-${VERSION}.tgz`);
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (digest !== SHA512) throw new ExpectedError(`The package code-server ${VERSION} has an unexpected checksum.`);
  await run('tar', ['-xzf', archive, '--strip-components=3', 'package/lib/vscode'], into);
  await rm(archive);
  // Without the package `typescript`, this extension would only show an error, which would cover the chat page.
  await rm(path.join(into, 'extensions/typescript-language-features'), { recursive: true });
  await run('npm', ['install', '--omit=dev', '--no-save', ...quiet], into);
  if (!existsSync(path.join(into, WATCHDOG, 'watchdog.node'))) {
    await mkdir(path.join(into, WATCHDOG), { recursive: true });
    await writeFile(path.join(into, WATCHDOG, 'watchdog.js'), WATCHDOG_STUB);
  }
}

/** Enables logging, also in a server that was installed before. */
async function installLogger(): Promise<void> {
  if (existsSync(path.join(folder, LOG, 'build/Release/spdlog.node'))) return;
  const logger = await readFile(path.join(import.meta.dirname, 'plain-log.cjs'), 'utf8');
  const file = path.join(folder, LOG, 'index.js');
  if ((await readFile(file, 'utf8')) === logger) return;
  // Atomically, because a running server may be reading it.
  await writeFile(`${file}.${process.pid}`, logger);
  await rename(`${file}.${process.pid}`, file);
}

/**
 * Returns the server's script, and installs it on first use (about 20 s). Several processes may call this at once; the
 * folder only appears when it's complete.
 */
export async function fetchServer(print: (text: string) => void): Promise<string> {
  if (process.versions.node.split('.')[0] !== NODE_MAJOR) {
    throw new ExpectedError(`VS Code's server needs Node ${NODE_MAJOR}: start it through "npm run", after "npm ci".`);
  }
  if (process.platform === 'win32') {
    throw new ExpectedError(
      "VS Code's server runs on Linux and macOS here; set VSCODE_EXECUTABLE to a desktop VS Code.",
    );
  }
  if (!existsSync(serverMain)) {
    print('Fetching VS Code’s server into .vscode-test (once, about 20 seconds).');
    const partial = path.join(editorFolder, 'host', `${VERSION}.partial-${process.pid}`);
    try {
      await install(partial);
      // Another process may have been faster and already be running its server.
      if (!existsSync(serverMain)) {
        await rm(folder, { recursive: true, force: true });
        await rename(partial, folder);
      }
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
  await installLogger();
  return serverMain;
}
