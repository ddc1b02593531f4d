import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/support/paths.ts';

/** A fault that a change might bring in by mistake, and the property test that has to notice it. */
export interface PlantedFault {
  /** The name that docs/promises.md gives the promise that it breaks. */
  readonly promise: string;
  /** What goes wrong, in a few words. */
  readonly what: string;
  /** The source file, and a part of its text that stands in it once. */
  readonly file: string;
  readonly find: string;
  /** What is put in its place. */
  readonly put: string;
  /** The test that notices it: its file, and a part of its title. */
  readonly spec: string;
  readonly title: string;
}

/** Where a fault is noticed. */
export type Catcher = Pick<PlantedFault, 'spec' | 'title'>;

/** Faults of one promise that one test notices. */
export function planted(
  promise: string,
  { spec, title }: Catcher,
  ...faults: readonly Omit<PlantedFault, 'promise' | keyof Catcher>[]
): PlantedFault[] {
  return faults.map((fault) => ({ promise, ...fault, spec, title }));
}

/** Why a fault does not fit the sources as they are; undefined when it does. */
export function misfit({ file, find, put, spec, title }: PlantedFault): string | undefined {
  const times = read(file).split(find).length - 1;
  if (times !== 1) return `its text stands ${times} times in ${file}, and must stand there once`;
  if (find === put) return 'what is put there is what was there';
  return read(spec).includes(title) ? undefined : `${spec} has no test of that title: ${title}`;
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
