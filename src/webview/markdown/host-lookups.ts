import type { Formula } from '../../protocol/requests.ts';
import { page } from '../page-instance.ts';

/** How long elements are collected before their answers are requested, in ms. */
const BATCH_DELAY_MS = 50;

type LookUp = (element: Element, key: string, apply: (answer: string) => void) => void;

/**
 * Returns a function that applies the host's answer to an element. Answers are cached, and missing ones are requested
 * in batches. `request` gets at most `maxKeys` keys and may omit answers.
 */
function createLookUp(
  maxKeys: number,
  request: (keys: readonly string[]) => Promise<readonly (readonly [key: string, answer: string])[]>,
): LookUp {
  const cache = new Map<string, string>();
  let waiting: Parameters<LookUp>[] = [];
  const requestWaiting = async (): Promise<void> => {
    const batch = waiting.filter(([element]) => element.isConnected);
    waiting = [];
    const keys = [...new Set(batch.map(([, key]) => key))];
    for (let from = 0; from < keys.length; from += maxKeys)
      for (const answer of await request(keys.slice(from, from + maxKeys))) cache.set(...answer);
    for (const [, key, apply] of batch) if (cache.has(key)) apply(cache.get(key)!);
  };
  return (element, key, apply) => {
    const answer = cache.get(key);
    if (answer !== undefined) {
      apply(answer);
      return;
    }
    if (waiting.length === 0) setTimeout(() => void requestWaiting(), BATCH_DELAY_MS);
    waiting.push([element, key, apply]);
  };
}

/** Calls `apply` if the path is a file of the workspace. Other paths aren't cached: the file may be created later. */
export const lookUpFile: LookUp = createLookUp(100, async (paths) =>
  ((await page.request('existingFiles', { paths })) ?? []).map((path) => [path, path]),
);

const lookUpMath = createLookUp(50, async (keys) => {
  const mathml = await page.request('renderMath', { formulas: keys.map((key) => JSON.parse(key) as Formula) });
  return mathml?.map((each, index) => [keys[index]!, each]) ?? [];
});

/** Calls `apply` with a formula's MathML, which is empty if the formula is invalid. */
export const lookUpFormula = (element: Element, formula: Formula, apply: (mathml: string) => void): void =>
  lookUpMath(element, JSON.stringify(formula), apply);
