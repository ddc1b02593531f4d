import type { Formula } from '../protocol/requests.ts';
import { makeFileLink } from './markdown/decorate.ts';
import { sanitizeMath } from './markdown/sanitize.ts';
import { page } from './page-instance.ts';

/** How long elements are collected before they are requested, in ms. */
const BATCH_DELAY_MS = 50;

interface Lookup {
  readonly selector: string;
  readonly maxKeysPerRequest: number;
  readonly keyOf: (element: HTMLElement) => string;
  /** May omit answers. */
  readonly request: (keys: readonly string[]) => Promise<readonly (readonly [key: string, answer: string])[]>;
  readonly apply: (element: HTMLElement, answer: string) => void;
}

/** Applies the host's answers to matching elements that are added to `root`. Answers are cached. */
function lookUpElements(root: HTMLElement, lookup: Lookup): void {
  const { selector, maxKeysPerRequest, keyOf } = lookup;
  const cache = new Map<string, string>();
  const pending = new Set<HTMLElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Applies the cached answer; returns false if there is none. */
  const applyCached = (element: HTMLElement): boolean => {
    const answer = cache.get(keyOf(element));
    if (answer !== undefined) lookup.apply(element, answer);
    return answer !== undefined;
  };
  const requestPending = async (): Promise<void> => {
    timer = undefined;
    const elements = [...pending].filter((element) => element.isConnected);
    pending.clear();
    const keys = [...new Set(elements.map(keyOf))];
    for (let from = 0; from < keys.length; from += maxKeysPerRequest)
      for (const answer of await lookup.request(keys.slice(from, from + maxKeysPerRequest))) cache.set(...answer);
    elements.forEach(applyCached);
  };
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLElement)
        for (const element of [node, ...node.querySelectorAll<HTMLElement>(selector)])
          if (element.matches(selector) && !applyCached(element)) pending.add(element);
    if (pending.size > 0) timer ??= setTimeout(() => void requestPending(), BATCH_DELAY_MS);
  }).observe(root, { childList: true, subtree: true });
}

/**
 * Turns the names of existing workspace files into links. Other names are checked again whenever they are rendered
 * again, because the file may have been created.
 */
export const linkFiles = (root: HTMLElement): void =>
  lookUpElements(root, {
    selector: '[data-file]:not([role="link"])',
    maxKeysPerRequest: 100,
    keyOf: (span) => span.dataset['file']!,
    request: async (paths) => ((await page.request('existingFiles', { paths })) ?? []).map((path) => [path, path]),
    apply: makeFileLink,
  });

/** Replaces formulas by MathML from the host. Invalid formulas, whose MathML is empty, stay as their source. */
export const renderFormulas = (root: HTMLElement): void =>
  lookUpElements(root, {
    selector: 'code:is(.math-inline, .math-display)',
    maxKeysPerRequest: 50,
    keyOf: (code) =>
      JSON.stringify({ tex: code.textContent, display: code.classList.contains('math-display') } satisfies Formula),
    request: async (keys) => {
      const mathml = await page.request('renderMath', { formulas: keys.map((key) => JSON.parse(key) as Formula) });
      return mathml?.map((each, index) => [keys[index]!, each]) ?? [];
    },
    apply: (code, mathml) => {
      if (mathml === '') return;
      const formula = document.createElement('span');
      formula.className = code.className;
      formula.title = code.textContent;
      formula.append(sanitizeMath(mathml));
      code.replaceWith(formula);
    },
  });
