import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/support/paths.ts';

/** A mistake that a change might introduce, and the property test that must detect it. */
export interface PlantedFault {
  /** The name of the broken promise in docs/promises.md. */
  readonly promise: string;
  /** A short description of the mistake. */
  readonly what: string;
  /** The source file, and text that occurs in it once. */
  readonly file: string;
  readonly find: string;
  /** The replacement for that text. */
  readonly put: string;
  /** The test that detects it: its file, and part of its title. */
  readonly spec: string;
  readonly title: string;
}

/** The test that must detect a fault: its file, and part of its title. */
export type DetectingTest = Pick<PlantedFault, 'spec' | 'title'>;

/** Why a fault can't be planted in the current sources; undefined if it can. */
export function plantingProblem({ file, find, put, spec, title }: PlantedFault): string | undefined {
  const times = read(file).split(find).length - 1;
  if (times !== 1) return `its text occurs ${times} times in ${file}, and must occur once`;
  if (find === put) return 'the replacement equals the text';
  return read(spec).includes(title) ? undefined : `${spec} has no test with the title: ${title}`;
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
