import { linkToFile } from './markdown/decorate.ts';
import { sanitizeMath } from './markdown/sanitize.ts';

/** Delay in ms to collect more elements, because a streaming reply is rendered repeatedly. */
const PAUSE = 50;

/**
 * Completes elements in `root` that match `selector` with the host's answers, which are cached. Elements are requested
 * by their keys, those of a moment together, with at most `atOnce` per request.
 */
function complete(
  root: HTMLElement,
  selector: string,
  atOnce: number,
  keyOf: (element: HTMLElement) => string,
  ask: (keys: readonly string[]) => Promise<readonly (readonly [key: string, known: string])[]>,
  draw: (element: HTMLElement, known: string) => void,
): void {
  const known = new Map<string, string>();
  const waiting = new Set<HTMLElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drawOrWait = (element: HTMLElement): void => {
    const about = known.get(keyOf(element));
    if (about === undefined) waiting.add(element);
    else draw(element, about);
  };
  const take = async (): Promise<void> => {
    timer = undefined;
    const found = [...waiting].filter((element) => element.isConnected);
    waiting.clear();
    const keys = [...new Set(found.map(keyOf))];
    for (let from = 0; from < keys.length; from += atOnce)
      for (const [key, about] of await ask(keys.slice(from, from + atOnce))) known.set(key, about);
    for (const element of found) {
      const about = known.get(keyOf(element));
      if (about !== undefined) draw(element, about);
    }
  };
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLElement)
        for (const element of [node, ...node.querySelectorAll<HTMLElement>(selector)])
          if (element.matches(selector)) drawOrWait(element);
    if (waiting.size > 0) timer ??= setTimeout(() => void take(), PAUSE);
  }).observe(root, { childList: true, subtree: true });
}

/**
 * Turns file names on the page into links if they are files of the workspace. Other names stay text, and are checked
 * again when they are rendered again, because the file may have been created.
 */
export function linkFiles(
  root: HTMLElement,
  ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>,
): void {
  const existing = async (paths: readonly string[]) => ((await ask(paths)) ?? []).map((path) => [path, path] as const);
  complete(root, '[data-file]:not([role="link"])', 100, (span) => span.dataset['file']!, existing, linkToFile);
}

interface Formula {
  readonly tex: string;
  readonly display: boolean;
}

/**
 * Renders the formulas on the page. The host converts them to MathML. Until then, and for invalid formulas, the source
 * is shown.
 */
export function setFormulas(
  root: HTMLElement,
  ask: (formulas: readonly Formula[]) => Promise<readonly string[] | undefined>,
): void {
  const keyOf = (code: HTMLElement): string =>
    JSON.stringify({ tex: code.textContent, display: code.classList.contains('math-display') } satisfies Formula);
  const made = async (keys: readonly string[]) => {
    const mathml = await ask(keys.map((key) => JSON.parse(key) as Formula));
    return mathml?.map((each, index) => [keys[index]!, each] as const) ?? [];
  };
  const draw = (code: HTMLElement, mathml: string): void => {
    if (mathml === '') return;
    const drawn = document.createElement('span');
    drawn.className = code.className;
    drawn.title = code.textContent;
    drawn.append(sanitizeMath(mathml));
    code.replaceWith(drawn);
  };
  complete(root, 'code:is(.math-inline, .math-display)', 50, keyOf, made, draw);
}
