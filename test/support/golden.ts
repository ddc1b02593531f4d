import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Compares text with the file of that name beside the test (its `import.meta.url`). UPDATE_GOLDEN=1 writes the file.
 * Fails if it's missing.
 */
export function matchesGolden(test: string, name: string, text: string): void {
  const file = new URL(`${name.replaceAll(' ', '-')}.golden.txt`, test);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  assert.ok(existsSync(file), `${name} has no golden file; UPDATE_GOLDEN=1 writes it`);
  assert.equal(text, readFileSync(file, 'utf8'));
}
