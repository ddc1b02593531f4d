import type { Formula } from '../../protocol/requests.ts';
import { page } from '../page-instance.ts';
import { createLookUp } from './look-up.ts';

/** Calls `apply` if the path is a file of the workspace. Other paths aren't cached: the file may be created later. */
export const lookUpFile = createLookUp(100, async (paths) =>
  ((await page.request('existingFiles', { paths })) ?? []).map((path) => [path, path]),
);

const lookUpMath = createLookUp(50, async (keys) => {
  const mathml = await page.request('renderMath', { formulas: keys.map((key) => JSON.parse(key) as Formula) });
  return mathml?.map((each, index) => [keys[index]!, each]) ?? [];
});

/** Calls `apply` with a formula's MathML, which is empty if the formula is invalid. */
export const lookUpFormula = (element: Element, formula: Formula, apply: (mathml: string) => void): void =>
  lookUpMath(element, JSON.stringify(formula), apply);
