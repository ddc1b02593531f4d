import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExpectedError } from '../support/expected-error.ts';
import { endProcess, runNode, spawnOwned } from '../support/processes.ts';

/** Settings of a fresh profile: no telemetry, suggestions, updates, or welcome pages. */
const SETTINGS = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  // Tests can only see dialogs that the workbench renders.
  'files.simpleDialog.enable': true,
  'window.dialogStyle': 'custom',
};

const START_LIMIT_MS = 60_000;

export interface ServerOptions {
  /** The server's script, from `fetchServer`. */
  readonly program: string;
  /** The folder for the server's logs and, by default, settings and extensions. */
  readonly dataFolder: string;
  readonly userDataFolder?: string | undefined;
  readonly extensionsFolder?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * With the smoke test driver, the workbench runs extensions from source and test suites, but shows no notifications.
   * Without it, only installed extensions run.
   */
  readonly smokeTestDriver: boolean;
  /** Whether folders are in Restricted Mode until they are trusted; by default, all are trusted. */
  readonly trust?: boolean;
  readonly onLog?: (text: string) => void;
}

export interface EditorServer {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Resolves when the server's process has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

async function writeSettings(userDataFolder: string, settings: object): Promise<void> {
  const file = path.join(userDataFolder, 'User/settings.json');
  if (existsSync(file)) return;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ ...SETTINGS, ...settings }, null, 2));
}

/** Starts VS Code's server on a free loopback port. */
export async function startServer(options: ServerOptions): Promise<EditorServer> {
  const userData = options.userDataFolder ?? path.join(options.dataFolder, 'data');
  const extensions = options.extensionsFolder ?? path.join(options.dataFolder, 'extensions');
  const trust = {
    'security.workspace.trust.enabled': true,
    // The dialog would cover the window.
    'security.workspace.trust.startupPrompt': 'never',
  };
  await writeSettings(userData, { ...(options.trust === true && trust), ...options.settings });
  const child = spawnOwned(
    process.execPath,
    [
      options.program,
      ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
      ...['--server-data-dir', options.dataFolder, '--user-data-dir', userData, '--extensions-dir', extensions],
      ...['--disable-telemetry', '--disable-experiments', '--disable-update-check'],
      ...(options.trust === true ? [] : ['--disable-workspace-trust']),
      '--disable-getting-started-override',
      // If this process is killed, the server ends a few minutes after its last window.
      ...['--enable-remote-auto-shutdown', '--reconnection-grace-time', '20'],
      ...(options.smokeTestDriver ? ['--enable-smoke-test-driver'] : []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  const port = await new Promise<number>((resolve, reject) => {
    let log = '';
    let listening = false;
    const fail = (why: string): void => reject(new ExpectedError(`VS Code's server ${why}.\n${log}`));
    const timer = setTimeout(() => fail(`did not start within ${START_LIMIT_MS / 1000} seconds`), START_LIMIT_MS);
    const onData = (chunk: Buffer): void => {
      const text = chunk.toString();
      options.onLog?.(text);
      if (listening) return;
      log += text;
      const found = /Extension host agent listening on (\d+)/.exec(log);
      if (found === null) return;
      listening = true;
      clearTimeout(timer);
      resolve(Number(found[1]));
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code ?? 1}`);
    });
  }).catch(async (error: unknown) => {
    await endProcess(child);
    throw error;
  });
  return { origin: `http://127.0.0.1:${port}`, ended, stop: () => endProcess(child) };
}

/** Installs a `.vsix` for a server with the same data folder. */
export async function installExtension(program: string, dataFolder: string, vsix: string): Promise<void> {
  const { code, output } = await runNode([
    program,
    ...['--server-data-dir', dataFolder, '--extensions-dir', path.join(dataFolder, 'extensions')],
    ...['--accept-server-license-terms', '--install-extension', vsix, '--force'],
  ]);
  if (code !== 0) throw new ExpectedError(`Installing ${path.basename(vsix)} failed (${code}):\n${output}`);
}
