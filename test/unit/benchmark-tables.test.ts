import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { describeTarget, isMet, show } from '../bench/report/figure.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const unitSchema = v.picklist(['×', 'share', 'ms', 's', 'MB/s', 'KB', 'tokens', '$', 'count']);
const figureSchema = v.object({
  label: v.string(),
  value: v.number(),
  unit: unitSchema,
  cell: v.optional(v.object({ grid: v.string(), row: v.string(), column: v.string() })),
});
type Saved = v.InferOutput<typeof figureSchema>;
const section = v.object({ figures: v.record(v.string(), figureSchema) });
const resultsSchema = v.object({
  speed: section,
  cost: section,
  quality: section,
});
const results = v.parse(resultsSchema, JSON.parse(read('docs/benchmarks/results.json')));
const saved: readonly Saved[] = Object.values(results).flatMap(({ figures }) => Object.values(figures));

/** A value in a table, with what it is said to be the value of. */
interface Shown {
  readonly of: string;
  readonly value: string;
}

/** All values in the tables of a page between its marks; `text` is the page. */
function shownIn(text: string): Shown[] {
  return Array.from(text.matchAll(/<!-- table: (\w+) -->(.*?)<!-- end: \1 -->/gs), ([, , body = '']) => body).flatMap(
    (body) => {
      let grid = '';
      let columns: readonly string[] = [];
      return body.split('\n').flatMap((line): Shown[] => {
        grid = /^\*\*(.+)\*\*$/.exec(line)?.[1] ?? grid;
        if (!line.startsWith('|') || line.startsWith('| -')) return [];
        const [row = '', ...cells] = line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim());
        if (row === 'figure' || row === '') {
          columns = cells;
          return [];
        }
        if (columns[0] === 'value') return [{ of: row, value: cells[0] ?? '' }];
        return cells.flatMap((cell, at) =>
          cell === '–' ? [] : { of: `${grid} | ${row} | ${columns[at] ?? ''}`, value: plain(cell) },
        );
      });
    },
  );
}

/** Without emphasis and without the target that was missed. */
const plain = (cell: string): string => cell.replace(/\*\*/g, '').replace(/ \([≤≥].*\)$/, '');

const nameOf = ({ label, cell }: Saved): string => (cell ? `${cell.grid} | ${cell.row} | ${cell.column}` : label);

/** What a page shows that the results do not hold. */
const unknownIn = (text: string): Shown[] =>
  shownIn(text).filter(
    ({ of, value }) => !saved.some((one) => nameOf(one) === of && show(one.value, one.unit) === value),
  );

describe('the tables of measured figures', () => {
  for (const page of ['docs/benchmarks.md']) {
    it(`in ${page} hold what is in docs/benchmarks/results.json, and nothing else`, () => {
      assert.ok(shownIn(read(page)).length >= 4, 'there are figures');
      assert.deepEqual(unknownIn(read(page)), []);
    });
  }

  it('are told apart from the results when a number is changed by hand', () => {
    const one = saved.find(({ cell, unit }) => cell === undefined && unit === 'share');
    assert.ok(one);
    const table = (value: string): string =>
      `<!-- table: quality -->\n\n| figure | value | target | met |\n| --- | ---: | --- | --- |\n| ${one.label} | ${value} | | |\n\n<!-- end: quality -->`;
    assert.deepEqual(unknownIn(table(show(one.value, one.unit))), []);
    assert.deepEqual(unknownIn(table('99.99 %')), [{ of: one.label, value: '99.99 %' }]);
  });

  it('say of each target whether it is met', () => {
    assert.equal(isMet({ value: 0.8, target: { atLeast: 0.8 } }), true);
    assert.equal(isMet({ value: 0.79, target: { atLeast: 0.8 } }), false);
    assert.equal(isMet({ value: 2, target: undefined }), undefined);
    assert.equal(describeTarget({ atMost: 0.5 }, 'share'), '≤ 50 %');
  });
});
