import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'prettier';
import * as v from 'valibot';
import { root } from '../../../scripts/support/paths.ts';
import {
  describeTarget,
  isMet,
  sectionOf,
  SECTIONS,
  show,
  type Figure,
  type Measured,
  type Section,
} from './figure.ts';
import { gridsOf, type Grid } from './grid.ts';
import { plotSvg } from './plot.ts';

const page = path.join(root, 'docs', 'benchmarks.md');
const committed = path.join(root, 'docs', 'benchmarks', 'results.json');

/** The conditions of a run. */
export interface RunFacts {
  readonly mode: 'full' | 'quick';
  readonly data: 'shared' | 'synthetic';
  readonly node: string;
}

const savedSchema = v.object({
  run: v.object({ data: v.picklist(['shared', 'synthetic']) }),
  ...v.entriesFromList(
    [...SECTIONS],
    v.looseObject({ figures: v.record(v.string(), v.looseObject({ value: v.number() })) }),
  ),
});

/** Writes the figures and plots, and updates the tables in the documents. Returns the folder. */
export async function writeResults(
  { figures, plots = [] }: Measured,
  run: RunFacts,
  folder: string,
  document: boolean,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const before = document ? v.parse(savedSchema, JSON.parse(await readFile(committed, 'utf8'))) : undefined;
  const sections = Object.fromEntries(
    SECTIONS.map((section) => {
      const own = figures.filter(({ id }) => sectionOf(id) === section);
      // Sections that weren't measured stay unchanged.
      if (own.length === 0 && before) return [section, before[section]];
      const kept = Object.fromEntries(own.map((figure) => [figure.id, saved(figure)]));
      return [section, { figures: kept, plots: plots.filter(({ id }) => sectionOf(id) === section) }];
    }),
  );
  const options = { singleQuote: true, printWidth: 120 } as const;
  await writeFile(
    path.join(folder, 'results.json'),
    await format(JSON.stringify({ run, ...sections }), { ...options, parser: 'json' }),
  );
  for (const plot of plots) await writeFile(path.join(folder, `${plot.id}.svg`), plotSvg(plot));
  if (document) {
    let text = await readFile(page, 'utf8');
    for (const section of SECTIONS) text = withTable(text, section, figures);
    await writeFile(page, await format(text, { ...options, parser: 'markdown', proseWrap: 'preserve' }));
  }
  return folder;
}

/** A figure with a rounded value, so that the tables show the same values as the file. */
const rounded = (figure: Figure): Figure => ({ ...figure, value: Number(figure.value.toPrecision(4)) });

function saved(figure: Figure): Record<string, unknown> {
  const { label, value, unit, target, cell } = rounded(figure);
  return {
    label,
    value,
    unit,
    ...(cell && { cell: { grid: cell.grid, row: cell.row, column: cell.column } }),
    ...(target && { target: describeTarget(target, unit), met: isMet(figure) }),
  };
}

/** Replaces a section's table between its markers. */
function withTable(text: string, section: Section | 'summary', figures: readonly Figure[]): string {
  const [begin, end] = [`<!-- table: ${section} -->`, `<!-- end: ${section} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  const own = figures.filter(({ id }) => section === 'summary' || sectionOf(id) === section).map(rounded);
  if (from < 0 || to < 0 || own.length === 0) return text;
  const rows = own
    .filter(({ cell }) => !cell)
    .map((figure) => {
      const met = isMet(figure);
      const mark = met === undefined ? '' : met ? 'yes' : '**no**';
      return `| ${figure.label} | ${show(figure.value, figure.unit)} | ${describeTarget(figure.target, figure.unit)} | ${mark} |`;
    });
  const lines = rows.length > 0 ? [['| figure | value | target | met |', '| --- | ---: | --- | --- |', ...rows]] : [];
  const table = [...lines, ...gridsOf(own).map(gridLines)].map((some) => some.join('\n')).join('\n\n');
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}

function gridLines({ title, columns, rows }: Grid): string[] {
  const cells = rows.map((row) => row.map(({ text, best }) => (best ? `**${text}**` : text)));
  const rule = columns.map((_, at) => (at === 0 ? '---' : '---:'));
  return [`**${title}**`, '', ...[columns, rule, ...cells].map((row) => `| ${row.join(' | ')} |`)];
}

/** Figures that miss a required target, or are worse than the committed ones by more than their margin. */
export async function findRegressions(
  figures: readonly Figure[],
  data: RunFacts['data'],
): Promise<{ readonly falls: readonly string[]; readonly compared: number }> {
  const before = v.parse(savedSchema, JSON.parse(await readFile(committed, 'utf8')));
  const falls: string[] = [];
  let compared = 0;
  for (const { id, label, value, unit, guard, target, mustMeet } of figures) {
    if (mustMeet === true && isMet({ value, target }) === false)
      falls.push(`${label}: ${show(value, unit)}, must be ${describeTarget(target, unit)}`);
    const was = before[sectionOf(id)].figures[id]?.value;
    // Figures of different data aren't comparable.
    if (!guard || was === undefined || before.run.data !== data) continue;
    compared++;
    const room = Math.max(Math.abs(was) * guard.margin, guard.slack ?? 0);
    const fell = guard.worse === 'higher' ? value > was + room : value < was - room;
    if (fell) falls.push(`${label}: ${show(value, unit)}, was ${show(was, unit)} (margin ${show(room, unit)})`);
  }
  return { falls, compared };
}
