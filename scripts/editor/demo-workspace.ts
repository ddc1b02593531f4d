import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';

const source = path.join(root, 'test/fixtures/demo-workspace');

/** Makes `folder` a fresh copy of the demo workspace, and gives its path back. */
export async function copyDemoWorkspace(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (existsSync(source)) await cp(source, folder, { recursive: true });
  return folder;
}
