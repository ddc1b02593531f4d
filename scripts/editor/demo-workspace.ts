import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';

const source = path.join(root, 'test/fixtures/demo-workspace');

/** Copies the demo workspace to `folder`, overwriting the files of an earlier copy, and returns the path. */
export async function copyDemoWorkspace(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  return folder;
}
