import { describeTarget, isMet, sectionOf, SECTIONS, show, type Figure } from './figure.ts';

/** The figures as a table for a terminal, section by section. */
export function tableText(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => ({
    section: sectionOf(figure.id),
    cells: [figure.label, show(figure.value, figure.unit), describeTarget(figure.target, figure.unit)],
    mark: markOf(figure),
  }));
  const width = (column: number): number => Math.max(0, ...rows.map(({ cells }) => cells[column]?.length ?? 0));
  const widths = [width(0), width(1), width(2)] as const;
  const lines: string[] = [];
  for (const section of SECTIONS) {
    const own = rows.filter((row) => row.section === section);
    if (own.length === 0) continue;
    lines.push('', section.toUpperCase());
    for (const { cells, mark } of own) {
      const [label = '', value = '', target = ''] = cells;
      lines.push(
        `  ${label.padEnd(widths[0])}  ${value.padStart(widths[1])}  ${target.padEnd(widths[2])}  ${mark}`.trimEnd(),
      );
    }
  }
  return lines.join('\n');
}

function markOf(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}
