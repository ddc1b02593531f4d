import { gridsOf, type Grid } from './grid.ts';
import { describeTarget, isMet, sectionOf, SECTIONS, show, type Figure } from './figure.ts';

/** The figures as tables for a terminal, by section. */
export function tableText(figures: readonly Figure[]): string {
  const rows = figures
    .filter(({ cell }) => !cell)
    .map((figure) => ({
      section: sectionOf(figure.id),
      cells: [figure.label, show(figure.value, figure.unit), describeTarget(figure.target, figure.unit)],
      mark: markOf(figure),
    }));
  const width = (column: number): number => Math.max(0, ...rows.map(({ cells }) => cells[column]?.length ?? 0));
  const widths = [width(0), width(1), width(2)] as const;
  const lines: string[] = [];
  for (const section of SECTIONS) {
    const own = rows.filter((row) => row.section === section);
    const grids = gridsOf(figures.filter(({ id }) => sectionOf(id) === section));
    if (own.length + grids.length === 0) continue;
    lines.push('', section.toUpperCase());
    for (const { cells, mark } of own) {
      const [label = '', value = '', target = ''] = cells;
      lines.push(
        `  ${label.padEnd(widths[0])}  ${value.padStart(widths[1])}  ${target.padEnd(widths[2])}  ${mark}`.trimEnd(),
      );
    }
    for (const grid of grids) lines.push('', `  ${grid.title}`, ...gridText(grid));
  }
  return lines.join('\n');
}

/** The best value in a column has a star. */
function gridText({ columns, rows }: Grid): string[] {
  const all = [columns, ...rows.map((row) => row.map(({ text, best }) => (best ? `*${text}` : text)))];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map(
    (row) =>
      `  ${row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  ')}`,
  );
}

function markOf(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}
