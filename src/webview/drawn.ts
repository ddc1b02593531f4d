import { linkToFile } from './markdown/decorate.ts';
import { sanitizeMath } from './markdown/sanitize.ts';

/** How long (ms) more elements are waited for: a reply that is arriving is drawn again and again. */
const PAUSE = 50;
/** File names, and formulas, that are asked about together. */
const FILES_AT_ONCE = 100;
const FORMULAS_AT_ONCE = 50;

/**
 * Has what is drawn in `root` looked at by `find`, and what that returns read a little later, all of it together and
 * without what is gone by then.
 */
function gatherDrawn(
  root: HTMLElement,
  find: (added: HTMLElement) => readonly HTMLElement[],
  read: (found: readonly HTMLElement[]) => Promise<void>,
): void {
  const waiting = new Set<HTMLElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (): void => {
    timer = undefined;
    const found = [...waiting].filter((element) => element.isConnected);
    waiting.clear();
    void read(found);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof HTMLElement) for (const element of find(node)) waiting.add(element);
    if (waiting.size > 0) timer ??= setTimeout(take, PAUSE);
  }).observe(root, { childList: true, subtree: true });
}

/**
 * Makes links of the file names on the page that are files of the workspace, as `ask` says. A name that leads nowhere
 * stays text. What exists is remembered; what does not is asked about again when it is drawn again, since it may have
 * been made.
 */
export function linkFiles(
  root: HTMLElement,
  ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>,
): void {
  const existing = new Set<string>();
  /** False where no such file is known. */
  const link = (span: HTMLElement): boolean => {
    const exists = existing.has(span.dataset['file']!);
    if (exists) linkToFile(span);
    return exists;
  };
  gatherDrawn(
    root,
    (added) => {
      const named = [...added.querySelectorAll<HTMLElement>('[data-file]')];
      if (added.dataset['file'] !== undefined) named.push(added);
      return named.filter((span) => !link(span));
    },
    async (spans) => {
      const paths = [...new Set(spans.map((span) => span.dataset['file']!))];
      for (let from = 0; from < paths.length; from += FILES_AT_ONCE)
        for (const path of (await ask(paths.slice(from, from + FILES_AT_ONCE))) ?? []) existing.add(path);
      for (const span of spans) link(span);
    },
  );
}

interface Formula {
  readonly tex: string;
  readonly display: boolean;
}

/**
 * Sets the formulas on the page. The host makes MathML of them, which the browser draws; until that has come, and where
 * a formula cannot be read, it stands as it was written.
 */
export function setFormulas(
  root: HTMLElement,
  ask: (formulas: readonly Formula[]) => Promise<readonly string[] | undefined>,
): void {
  /** MathML by formula; empty where there is none. */
  const known = new Map<string, string>();
  /** False where it is not known yet how. */
  const draw = (code: HTMLElement): boolean => {
    const mathml = known.get(keyOf(code));
    if (mathml === undefined) return false;
    if (mathml === '') return true;
    const drawn = document.createElement('span');
    drawn.className = code.className;
    drawn.title = code.textContent;
    drawn.append(sanitizeMath(mathml));
    code.replaceWith(drawn);
    return true;
  };
  gatherDrawn(
    root,
    (added) => {
      const codes = [...added.querySelectorAll<HTMLElement>('code.math-inline, code.math-display')];
      return codes.filter((code) => !draw(code));
    },
    async (codes) => {
      const formulas = [...new Map(codes.map((code) => [keyOf(code), formulaOf(code)]))];
      for (let from = 0; from < formulas.length; from += FORMULAS_AT_ONCE) {
        const batch = formulas.slice(from, from + FORMULAS_AT_ONCE);
        const made = await ask(batch.map(([, formula]) => formula));
        made?.forEach((mathml, at) => known.set(batch[at]![0], mathml));
      }
      for (const code of codes) draw(code);
    },
  );
}

const formulaOf = (code: HTMLElement): Formula => ({
  tex: code.textContent,
  display: code.classList.contains('math-display'),
});

const keyOf = (code: HTMLElement): string => JSON.stringify(formulaOf(code));
