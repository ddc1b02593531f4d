import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { check, type Parameters } from 'recheck';
import ts from 'typescript';
import { root } from '../support/paths.ts';

/** Regular expressions that may take more than linear time, each with the limited text it's matched against. */
export type Bounds = Readonly<Record<string, string>>;

export const BOUNDS = 'scripts/regexps/bounds.json';

/**
 * Limits in steps and sizes, with a fixed seed, so that the result doesn't depend on the machine. Larger limits find
 * the same expressions and take twenty times as long.
 */
const LIMITS: Parameters = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 1,
  attackLimit: 300_000,
  incubationLimit: 3_000,
  maxNFASize: 1_500,
  maxDegree: 2,
  maxIteration: 1,
  maxInitialGenerationSize: 30,
  maxGenerationSize: 10,
  mutationSize: 5,
  crossoverSize: 3,
  maxGeneStringSize: 300,
  maxAttackStringSize: 10_000,
  maxSimpleRepeatCount: 5,
};
/** A repetition with this maximum or more is checked as unbounded, because exploring its states takes minutes. */
const UNBOUNDED_FROM = 60;
const CONCURRENCY = 2;

interface FoundRegExp {
  readonly literal: string;
  readonly file: string;
  readonly line: number;
}

/** The regular expression literals of a source file. */
export function regExpsIn(file: string, source: string): FoundRegExp[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: FoundRegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral)
      found.push({
        literal: node.getText(tree),
        file,
        line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
      });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function allRegExps(): FoundRegExp[] {
  const files = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.tsx'], { cwd: root, encoding: 'utf8' });
  const byLiteral = new Map<string, FoundRegExp>();
  for (const file of files.trim().split('\n')) {
    for (const one of regExpsIn(file, readFileSync(path.join(root, file), 'utf8'))) byLiteral.set(one.literal, one);
  }
  return [...byLiteral.values()];
}

export interface RegExpReport {
  readonly faults: readonly string[];
  readonly safe: number;
  readonly bounded: number;
}

const withoutHighBounds = (source: string): string =>
  source.replace(/\{(\d+),(\d+)\}/g, (repetition, min: string, max: string) =>
    Number(max) < UNBOUNDED_FROM ? repetition : `{${Math.min(Number(min), 2)},}`,
  );

/**
 * Checks that each regular expression takes linear time, or is listed with a bound for its input. Exponential time is
 * always a fault, and so is a bound of an expression that no longer exists.
 */
export async function checkRegExps(
  regExps: readonly FoundRegExp[] = allRegExps(),
  bounds: Bounds = JSON.parse(readFileSync(path.join(root, BOUNDS), 'utf8')) as Bounds,
): Promise<RegExpReport> {
  const known = new Set(regExps.map(({ literal }) => literal));
  const unused = Object.keys(bounds).filter((literal) => !known.has(literal));
  const faults = unused.map((literal) => `${BOUNDS}: no file contains ${literal.slice(0, 160)}`);
  let [safe, bounded] = [0, 0];
  const waiting = [...regExps];
  const checkWaiting = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const end = one.literal.lastIndexOf('/');
      const found = await check(withoutHighBounds(one.literal.slice(1, end)), one.literal.slice(end + 1), LIMITS);
      const place = `${one.file}:${one.line}: ${one.literal.slice(0, 160)}`;
      if (found.status === 'safe') safe++;
      else if (found.status === 'unknown') faults.push(`${place}\n  can’t be checked (${found.error.kind})`);
      else if (found.complexity.type === 'exponential') faults.push(`${place}\n  takes exponential time`);
      else if (bounds[one.literal] !== undefined) bounded++;
      else
        faults.push(
          `${place}\n  takes ${found.complexity.summary} time: rewrite it, or say in ${BOUNDS} what bounds its text`,
        );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, checkWaiting));
  return { faults: faults.sort(), safe, bounded };
}
