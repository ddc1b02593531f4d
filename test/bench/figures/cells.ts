import type { Figure } from '../report/figure.ts';

/** Makes the figures of one row of a grid. */
export function cells(
  id: string,
  place: { readonly grid: string; readonly row: string },
): (name: string, column: string, value: number, unit: Figure['unit'], best?: 'higher' | 'lower') => Figure {
  return (name, column, value, unit, best) => ({
    id: `${id}.${name}`,
    label: `${place.row}: ${column}`,
    value,
    unit,
    cell: { ...place, column, ...(best && { best }) },
  });
}
