// Builds the extension and opens it with a copy of the demo workspace: with a display, in the desktop VS Code (downloaded
// if needed); otherwise in VS Code's server, whose address it prints. Ctrl+C stops it.
import path from 'node:path';
import { copyDemoWorkspace } from './editor/demo-workspace.ts';
import { findDesktop } from './editor/desktop.ts';
import { fetchServer } from './editor/fetch-server.ts';
import { requireFreePort, startServerProxy } from './editor/server-proxy.ts';
import { installExtension, startServer } from './editor/server.ts';
import { workbenchUrl } from './editor/workbench-url.ts';
import { packageExtension } from './packaging/package-extension.ts';
import { build } from './support/build.ts';
import { editorFolder, outFolder, root } from './support/paths.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';
import { isEnding, spawnOwned } from './support/processes.ts';

/** Always the same, because browsers store VS Code's state by origin. */
const DEFAULT_PORT = 8947;

const print = (text: string): void => console.log(text);

function readPort(): number {
  const text = process.env.PORT;
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new ExpectedError(`PORT must be an integer from 1 to 65535, not ${text}.`);
  return port;
}

async function openDesktop(executable: string, workspace: string): Promise<void> {
  print('Opening VS Code. To close it, press Ctrl+C here.');
  const profile = path.join(editorFolder, 'demo-desktop');
  const editor = spawnOwned(
    executable,
    [
      `--extensionDevelopmentPath=${root}`,
      ...['--user-data-dir', path.join(profile, 'data'), '--extensions-dir', path.join(profile, 'extensions')],
      ...['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes', '--disable-updates', '--wait'],
      workspace,
    ],
    { stdio: 'ignore' },
  );
  const code = await new Promise<number>((resolve, reject) => {
    editor.once('error', reject);
    editor.once('exit', (exitCode) => resolve(exitCode ?? 0));
  });
  if (code !== 0 && !isEnding()) throw new ExpectedError(`${executable} ended with code ${code}.`);
}

async function openServer(workspace: string, port: number): Promise<void> {
  const program = await fetchServer(print);
  const dataFolder = path.join(editorFolder, 'demo-server');
  print('Installing the extension.');
  const vsix = path.join(outFolder, 'threadkeeper-demo.vsix');
  await packageExtension(vsix);
  await installExtension(program, dataFolder, vsix);
  print('Starting VS Code’s server.');
  const server = await startServer({ program, dataFolder, smokeTestDriver: false });
  try {
    const proxy = await startServerProxy(server.origin, port, path.join(dataFolder, 'secret-key'));
    print(`\nOpen ${workbenchUrl(proxy.origin, { folder: workspace })}\n`);
    print('There, press F1 and run "Threadkeeper: Open Chat". To stop the editor, press Ctrl+C here.');
    await server.ended;
    if (!isEnding()) throw new ExpectedError('VS Code’s server has ended.');
  } finally {
    await server.stop();
  }
}

await runMain(async () => {
  const desktop = await findDesktop(print);
  const port = readPort();
  if (desktop === undefined) await requireFreePort(port);
  print('Building the extension.');
  await build();
  const workspace = await copyDemoWorkspace(path.join(editorFolder, 'demo'));
  await (desktop === undefined ? openServer(workspace, port) : openDesktop(desktop, workspace));
});
