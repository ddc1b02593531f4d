import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { check, type Parameters } from 'recheck';
import ts from 'typescript';
import { root } from '../support/paths.ts';

/** Regular expressions that may take more than linear time, each with the limited text it's matched against. */
export type Bounds = Readonly<Record<string, string>>;

export const BOUNDS = 'scripts/patterns/bounds.json';

/**
 * Limits in steps and sizes, with a fixed seed, so that the result doesn't depend on the machine. Larger limits find
 * the same patterns and take twenty times as long.
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
const AT_ONCE = 2;

interface Found {
  readonly pattern: string;
  readonly file: string;
  readonly line: number;
}

/** The regular expression literals of a source file. */
export function patternsOf(file: string, source: string): Found[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral)
      found.push({
        pattern: node.getText(tree),
        file,
        line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
      });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function allPatterns(): Found[] {
  const files = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.tsx'], { cwd: root, encoding: 'utf8' });
  const byPattern = new Map<string, Found>();
  for (const file of files.trim().split('\n')) {
    for (const one of patternsOf(file, readFileSync(path.join(root, file), 'utf8'))) byPattern.set(one.pattern, one);
  }
  return [...byPattern.values()];
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
 * Checks that each pattern takes linear time, or is listed with a bound for its input. An exponential pattern is always
 * a fault, and so is a bound of a pattern that no longer exists.
 */
export async function checkRegExps(
  patterns: readonly Found[] = allPatterns(),
  bounds: Bounds = JSON.parse(readFileSync(path.join(root, BOUNDS), 'utf8')) as Bounds,
): Promise<RegExpReport> {
  const known = new Set(patterns.map(({ pattern }) => pattern));
  const unused = Object.keys(bounds).filter((pattern) => !known.has(pattern));
  const faults = unused.map((pattern) => `${BOUNDS}: no file contains ${pattern.slice(0, 160)}`);
  let [safe, bounded] = [0, 0];
  const waiting = [...patterns];
  const judge = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const end = one.pattern.lastIndexOf('/');
      const found = await check(withoutHighBounds(one.pattern.slice(1, end)), one.pattern.slice(end + 1), LIMITS);
      const place = `${one.file}:${one.line}: ${one.pattern.slice(0, 160)}`;
      if (found.status === 'safe') safe++;
      else if (found.status === 'unknown') faults.push(`${place}\n  cannot be judged (${found.error.kind})`);
      else if (found.complexity.type === 'exponential') faults.push(`${place}\n  takes exponential time`);
      else if (bounds[one.pattern] !== undefined) bounded++;
      else
        faults.push(
          `${place}\n  takes ${found.complexity.summary} time: rewrite it, or say in ${BOUNDS} what bounds its text`,
        );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, judge));
  return { faults: faults.sort(), safe, bounded };
}
