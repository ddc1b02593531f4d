export const SECTIONS = ['speed', 'cost', 'quality'] as const;
export type Section = (typeof SECTIONS)[number];

/**
 * The unit of a value. `×` is a ratio, `share` is from 0 to 1; `ms` and `s` are CPU time unless the label says
 * otherwise.
 */
export type Unit = '×' | 'share' | 'ms' | 's' | 'MB/s' | 'KB' | 'tokens' | '$' | 'count';

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** How `--check` compares a figure to the committed one. */
export interface Guard {
  readonly worse: 'higher' | 'lower';
  /** Maximum deterioration, as a share of the committed value, or for small values as an amount in the unit. */
  readonly margin: number;
  readonly slack?: number;
}

export interface Figure {
  /** `section.what.how`, the same in every run. */
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly unit: Unit;
  readonly target?: Target;
  /** Whether `--check` fails if the target is missed. */
  readonly mustMeet?: boolean;
  readonly guard?: Guard;
  /** The row and column, for figures that are shown in a grid. */
  readonly cell?: Cell;
}

/** A figure with its required fields in order. */
export const figure = (
  id: string,
  label: string,
  value: number,
  unit: Unit,
  more: Omit<Figure, 'id' | 'label' | 'value' | 'unit'> = {},
): Figure => ({ id, label, value, unit, ...more });

export interface Cell {
  readonly grid: string;
  readonly row: string;
  readonly column: string;
  /** Which value in a column is the best, if any. */
  readonly best?: 'higher' | 'lower';
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  /** `section.name`, which is also the file name. */
  readonly id: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly plots?: readonly Plot[];
  /** Notes for readers of the table, one line each. */
  readonly notes?: readonly string[];
}

export const sectionOf = (id: string): Section => {
  const section = SECTIONS.find((name) => id.startsWith(`${name}.`));
  if (section === undefined) throw new RangeError(`${id} belongs to no section.`);
  return section;
};

/** Undefined without a target. */
export function isMet({ value, target }: Pick<Figure, 'value' | 'target'>): boolean | undefined {
  if (target === undefined) return undefined;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export function describeTarget(target: Target | undefined, unit: Unit): string {
  if (target === undefined) return '';
  return 'atMost' in target ? `≤ ${show(target.atMost, unit)}` : `≥ ${show(target.atLeast, unit)}`;
}

export function show(value: number, unit: Unit): string {
  switch (unit) {
    case 'share':
      return `${trim(value * 100, value < 0.1 ? 2 : 1)} %`;
    case 'tokens':
    case 'count':
      return Math.round(value).toLocaleString('en-US');
    case 'KB':
      return `${Math.round(value).toLocaleString('en-US')} KB`;
    case '$':
      return `$${value < 0.1 ? value.toFixed(4) : value.toFixed(2)}`;
    case '×':
      return `${trim(value, value < 10 ? 2 : 0)} ×`;
    case 'ms':
    case 's':
    case 'MB/s':
      return `${trim(value, value < 10 ? 2 : 1)} ${unit}`;
  }
}

const trim = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
