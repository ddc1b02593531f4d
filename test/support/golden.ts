import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Compares a text with the golden file of that name next to the test, whose `import.meta.url` is `test`. Fails if there
 * is no such file; UPDATE_GOLDEN=1 writes it.
 */
export function matchesGolden(test: string, name: string, text: string): void {
  const file = new URL(`${name.replaceAll(' ', '-')}.golden.txt`, test);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  assert.ok(existsSync(file), `${name} has no golden file; UPDATE_GOLDEN=1 writes it`);
  assert.equal(text, readFileSync(file, 'utf8'));
}
