import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import type { Workbench } from './workbench.ts';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The frame of our page: the innermost one that holds its root. */
export async function pageFrame(workbench: Workbench): Promise<Frame> {
  for (const frame of workbench.page.frames()) {
    if ((await frame.locator('#root').count()) > 0) return frame;
  }
  return assert.fail('the chat page is not there');
}

/** What axe finds on our page, in words. */
export async function violations(workbench: Workbench): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const frame = await pageFrame(workbench);
  await frame.evaluate(axe);
  const found = await frame.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run(),
  );
  return found.violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => node.html).join('\n')}`);
}
