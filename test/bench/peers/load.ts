import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { PlainError } from '../../../scripts/support/plain-error.ts';
import { runCommand } from '../../../scripts/support/processes.ts';
import type { System } from '../systems/system.ts';
import { aiSdkSystems } from './ai-sdk.ts';
import { langChainSystems } from './langchain.ts';
import { llamaIndexSystem } from './llama-index.ts';
import { mastraSystems } from './mastra.ts';

const folder = path.resolve(import.meta.dirname, '..');
const INSTALL = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
const manifestSchema = v.object({ dependencies: v.record(v.string(), v.string()) });

/** Installs the libraries into the benchmark's own folder, once; the product's own install never does. Gives their versions. */
export async function installPeers(say: (text: string) => void): Promise<Readonly<Record<string, string>>> {
  const { dependencies } = v.parse(
    manifestSchema,
    JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')),
  );
  if (Object.keys(dependencies).every((name) => existsSync(path.join(folder, 'node_modules', name))))
    return dependencies;
  say('peers: installing them into test/bench');
  const { code, output } = await runCommand('npm', INSTALL, { cwd: folder });
  if (code !== 0) throw new PlainError(`The peers could not be installed.\n${output}`);
  return dependencies;
}

/** By variable names: the types of libraries that are not installed cannot be asked for. */
export async function load<T>(name: string): Promise<T> {
  const loaded: T = await import(name);
  return loaded;
}

/** Every way of other libraries to keep a conversation within a budget. */
export async function peerSystems(): Promise<readonly System[]> {
  return [
    ...(await langChainSystems(load)),
    await llamaIndexSystem(load),
    ...(await mastraSystems(load)),
    ...(await aiSdkSystems(load)),
  ];
}
