import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_MODELS, modelInfo, retirementOf } from '../../src/core/tokens/model-info.ts';
import { RETIREMENTS } from '../../src/core/tokens/model-overlay.ts';

/** A release stays in use for some weeks, so its default models must be available for at least this many days. */
const DEFAULT_DAYS = 60;
const DAY_MS = 86_400_000;

/** Files that users get or read. Defaults are checked separately. */
const FILES = [
  'package.json',
  'package.nls*.json',
  'README.md',
  'docs/settings.md',
  'docs/operators-guide.md',
  'src/**/*.{ts,tsx,json}',
];
/** Not checked, because they must name old models. */
const LISTS = ['model-data.json', 'model-overlay.ts', 'model-info.ts'].map((file) =>
  path.join('src', 'core', 'tokens', file),
);

/** Default models that will soon be retired, or that the data doesn't contain. `today` is in ms since the epoch. */
export function checkDefaultModels(
  today: number,
  ids: readonly string[] = Object.values(DEFAULT_MODELS).flatMap((each) => Object.values(each)),
): string[] {
  return ids.flatMap((id) => {
    const { known, price } = modelInfo(id);
    if (!known || price === undefined) return [`${id} is a default, but isn’t in the model data`];
    const retirement = retirementOf(id);
    if (retirement === undefined || Date.parse(retirement.on) - today > DEFAULT_DAYS * DAY_MS) return [];
    return [`${id} is a default and is retired on ${retirement.on}: use ${retirement.successor ?? 'another'}`];
  });
}

/** Mentions of models that are already retired. `today` is in ms since the epoch. */
export function checkModelMentions(today: number, texts: Iterable<readonly [file: string, text: string]>): string[] {
  const gone = [...RETIREMENTS].filter(([, { on }]) => Date.parse(on) <= today).map(([id]) => id);
  const named = new RegExp(
    `(?<![\\w./-])(?:${gone.map((id) => id.replaceAll('.', '\\.')).join('|')})(?![\\w.-]*\\w)`,
    'g',
  );
  return [...texts].flatMap(([file, text]) =>
    [...new Set(text.match(named))].map((id) => `${file} names ${id}, retired on ${RETIREMENTS.get(id)!.on}`),
  );
}

/** All problems with models that the project mentions. */
export function checkModels(root: string, today: number): string[] {
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((file) => !LISTS.includes(file));
  const texts = files.map((file): [string, string] => [file, readFileSync(path.join(root, file), 'utf8')]);
  return [...checkDefaultModels(today), ...checkModelMentions(today, texts)];
}
