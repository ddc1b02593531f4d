import { describeTarget, isMet, show, type Figure } from './figure.ts';

export interface Grid {
  readonly title: string;
  /** The first column contains the row names. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly { readonly text: string; readonly best: boolean }[])[];
}

/** Figures in grids. Rows and columns are in the order of their first appearance. */
export function gridsOf(figures: readonly Figure[]): Grid[] {
  const titles = distinct(figures.flatMap(({ cell }) => cell?.grid ?? []));
  return titles.map((title) => {
    const own = figures.filter(({ cell }) => cell?.grid === title);
    const columns = distinct(own.flatMap(({ cell }) => cell?.column ?? []));
    const rows = distinct(own.flatMap(({ cell }) => cell?.row ?? []));
    const best = new Map(columns.map((column) => [column, bestOf(own.filter(({ cell }) => cell?.column === column))]));
    return {
      title,
      columns: ['', ...columns],
      rows: rows.map((row) => [
        { text: row, best: false },
        ...columns.map((column) => {
          const figure = own.find(({ cell }) => cell?.row === row && cell.column === column);
          if (!figure) return { text: '–', best: false };
          return { text: textOf(figure), best: figure.cell?.best !== undefined && figure.value === best.get(column) };
        }),
      ]),
    };
  });
}

/** Shows a missed target beside the value. */
function textOf({ value, unit, target }: Figure): string {
  const shown = show(value, unit);
  return isMet({ value, target }) === false ? `${shown} (${describeTarget(target, unit)})` : shown;
}

/** Undefined if no value is better than others. Unmarked values don't compete. */
function bestOf(figures: readonly Figure[]): number | undefined {
  const competing = figures.filter(({ cell }) => cell?.best);
  const values = competing.map(({ value }) => value);
  switch (competing[0]?.cell?.best) {
    case 'higher':
      return Math.max(...values);
    case 'lower':
      return Math.min(...values);
    case undefined:
      return undefined;
  }
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)];
