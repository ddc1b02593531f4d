import type { Formula } from '../protocol/requests.ts';
import { makeFileLink } from './markdown/decorate.ts';
import { sanitizeMath } from './markdown/sanitize.ts';

/** How long elements are collected before they are requested, in ms. */
const BATCH_DELAY_MS = 50;

/**
 * Applies the host's answers to elements that are added to `root` and match `selector`. Answers are cached by the
 * elements' keys. `request` gets at most `maxPerRequest` keys and may omit answers.
 */
function lookUpElements(
  root: HTMLElement,
  selector: string,
  maxPerRequest: number,
  keyOf: (element: HTMLElement) => string,
  request: (keys: readonly string[]) => Promise<readonly (readonly [key: string, answer: string])[]>,
  apply: (element: HTMLElement, answer: string) => void,
): void {
  const cache = new Map<string, string>();
  const pending = new Set<HTMLElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const applyOrQueue = (element: HTMLElement): void => {
    const answer = cache.get(keyOf(element));
    if (answer === undefined) pending.add(element);
    else apply(element, answer);
  };
  const requestPending = async (): Promise<void> => {
    timer = undefined;
    const elements = [...pending].filter((element) => element.isConnected);
    pending.clear();
    const keys = [...new Set(elements.map(keyOf))];
    for (let from = 0; from < keys.length; from += maxPerRequest)
      for (const [key, answer] of await request(keys.slice(from, from + maxPerRequest))) cache.set(key, answer);
    for (const element of elements) {
      const answer = cache.get(keyOf(element));
      if (answer !== undefined) apply(element, answer);
    }
  };
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLElement)
        for (const element of [node, ...node.querySelectorAll<HTMLElement>(selector)])
          if (element.matches(selector)) applyOrQueue(element);
    if (pending.size > 0) timer ??= setTimeout(() => void requestPending(), BATCH_DELAY_MS);
  }).observe(root, { childList: true, subtree: true });
}

/**
 * Turns the names of existing workspace files into links. Other names are checked again whenever they are rendered
 * again, because the file may have been created.
 */
export function linkFiles(
  root: HTMLElement,
  request: (paths: readonly string[]) => Promise<readonly string[] | undefined>,
): void {
  const findExisting = async (paths: readonly string[]) =>
    ((await request(paths)) ?? []).map((path) => [path, path] as const);
  lookUpElements(
    root,
    '[data-file]:not([role="link"])',
    100,
    (span) => span.dataset['file']!,
    findExisting,
    makeFileLink,
  );
}

/** Replaces formulas by MathML from the host. Invalid formulas stay as their source. */
export function renderFormulas(
  root: HTMLElement,
  request: (formulas: readonly Formula[]) => Promise<readonly string[] | undefined>,
): void {
  const keyOf = (code: HTMLElement): string =>
    JSON.stringify({ tex: code.textContent, display: code.classList.contains('math-display') } satisfies Formula);
  const render = async (keys: readonly string[]) => {
    const mathml = await request(keys.map((key) => JSON.parse(key) as Formula));
    return mathml?.map((each, index) => [keys[index]!, each] as const) ?? [];
  };
  const replace = (code: HTMLElement, mathml: string): void => {
    if (mathml === '') return;
    const formula = document.createElement('span');
    formula.className = code.className;
    formula.title = code.textContent;
    formula.append(sanitizeMath(mathml));
    code.replaceWith(formula);
  };
  lookUpElements(root, 'code:is(.math-inline, .math-display)', 50, keyOf, render, replace);
}
