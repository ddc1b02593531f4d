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
const resultsSchema = v.object({ speed: section, cost: section, quality: section });
const results = v.parse(resultsSchema, JSON.parse(read('docs/benchmarks/results.json')));
const saved: readonly Saved[] = Object.values(results).flatMap(({ figures }) => Object.values(figures));

interface ShownValue {
  readonly of: string;
  readonly value: string;
}

/** All values in a page's tables between its markers; `text` is the page. */
function shownIn(text: string): ShownValue[] {
  return Array.from(text.matchAll(/<!-- table: (\w+) -->(.*?)<!-- end: \1 -->/gs), ([, , body = '']) => body).flatMap(
    (body) => {
      let grid = '';
      let columns: readonly string[] = [];
      return body.split('\n').flatMap((line): ShownValue[] => {
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

/** Without emphasis and missed targets. */
const plain = (cell: string): string => cell.replace(/\*\*/g, '').replace(/ \([≤≥].*\)$/, '');

const nameOf = ({ label, cell }: Saved): string => (cell ? `${cell.grid} | ${cell.row} | ${cell.column}` : label);

describe('benchmark tables', () => {
  it('contain only figures from docs/benchmarks/results.json', () => {
    const shownThere = shownIn(read('docs/benchmarks.md'));
    assert.ok(shownThere.length >= 4, 'there are figures');
    const isSaved = ({ of, value }: ShownValue): boolean =>
      saved.some((one) => nameOf(one) === of && show(one.value, one.unit) === value);
    const unsaved = shownThere.filter((one) => !isSaved(one));
    assert.deepEqual(unsaved, []);
  });

  it('say for each target whether it is met', () => {
    assert.equal(isMet({ value: 0.8, target: { atLeast: 0.8 } }), true);
    assert.equal(isMet({ value: 0.79, target: { atLeast: 0.8 } }), false);
    assert.equal(isMet({ value: 2, target: undefined }), undefined);
    assert.equal(describeTarget({ atMost: 0.5 }, 'share'), '≤ 50 %');
  });
});
