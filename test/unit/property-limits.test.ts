import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');

/** Runs a property under the limits of the suite; what it prints. */
async function printed(property: string, timeout: number): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-property-'));
  try {
    const file = path.join(folder, 'planted.test.mjs');
    const from = path.join(root, 'node_modules/fast-check/lib/fast-check.js');
    await writeFile(
      file,
      `import fc from ${JSON.stringify(from)};
const slow = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
it('planted', async () => { await fc.assert(${property}); });`,
    );
    const args = ['--import', './test/support/property-seed.mjs', 'node_modules/mocha/bin/mocha.js', '--no-config'];
    const limits = ['--require', './test/support/property-limits.mjs', '--timeout', String(timeout)];
    const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
      // What has failed is what is looked at.
      execFile(process.execPath, [...args, ...limits, file], { cwd: root }, (_failed, stdout) => resolve({ stdout }));
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('a property that is broken', () => {
  it('prints its seed and path, though its shrinking would outlast the test', async () => {
    const text = await printed(
      'fc.asyncProperty(fc.array(fc.nat(), { minLength: 20 }), async (list) => { await slow(30); if (list.length > 3) throw new Error("planted"); })',
      3_000,
    );
    assert.match(text, /seed: 20261122, path: "/);
    assert.match(text, /planted/);
    assert.doesNotMatch(text, /Timeout of/);
  });

  it('prints its seed when it does not come to an end', async () => {
    const text = await printed('fc.asyncProperty(fc.nat(), async () => slow(8_000)), { numRuns: 5 }', 2_000);
    assert.match(text, /seed: 20261122/);
    assert.doesNotMatch(text, /Timeout of/);
  });

  it('is tried on the same cases each time', async () => {
    const property = 'fc.property(fc.nat(), (n) => { if (n % 7 === 3) throw new Error("planted"); })';
    const [first, second] = [await printed(property, 20_000), await printed(property, 20_000)];
    assert.equal(/path: "(.*?)"/.exec(first)?.[1], /path: "(.*?)"/.exec(second)?.[1]);
  });
}).timeout(120_000);
