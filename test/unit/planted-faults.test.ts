import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULTS } from '../faults/all-faults.ts';
import { plantingProblem } from '../faults/planted-fault.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/promises.md'), 'utf8');

/** Rows of the page's table: a promise's name, its text, and the tests that verify it. */
const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = '', promise = '', tests = '']) => ({ name, promise, tests }),
);

/** How each promise was seen to fail, according to the page. */
const seen = new Map([...page.matchAll(/^- `([\w-]+)`: (.+)$/gm)].map(([, name = '', how = '']) => [name, how]));

const faultsOf = (name: string) => FAULTS.filter(({ promise }) => promise === name);

describe('promises and the faults planted to break them', () => {
  it('match the current sources', () => {
    const outdated = FAULTS.flatMap((fault) => {
      const why = plantingProblem(fault);
      return why === undefined ? [] : `${fault.promise}, “${fault.what}”: ${why}`;
    });
    assert.deepEqual(outdated, [], 'adapt the fault in test/faults to the changed source, or remove it');
  });

  it('include at least 25 promises, each with at least two faults', () => {
    assert.ok(rows.length >= 25, `${rows.length} promises`);
    for (const { name } of rows) assert.ok(faultsOf(name).length >= 2, `${name} has ${faultsOf(name).length} faults`);
    const names = new Set(rows.map(({ name }) => name));
    for (const { promise } of FAULTS) assert.ok(names.has(promise), `docs/promises.md has no row ${promise}`);
  });

  it('are documented: each promise with its tests and its observed failures', () => {
    for (const { name, tests } of rows) {
      for (const { spec, title, what } of faultsOf(name)) {
        assert.ok(tests.includes(`\`${spec}\` “${title}`), `${name} does not name ${spec} “${title}”`);
        assert.ok(seen.get(name)?.includes(what), `${name} does not say that it failed when ${what}`);
      }
      for (const [, file = ''] of tests.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(path.join(root, file)), file);
    }
  });
});
