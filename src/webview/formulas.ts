import { gatherDrawn } from './gather-drawn.ts';
import { sanitizeMath } from './markdown/sanitize.ts';

/** Formulas that are asked for together. */
const BATCH = 50;

interface Formula {
  readonly tex: string;
  readonly display: boolean;
}

/**
 * Sets the formulas on the page. The host makes MathML of them, which the browser draws; until that has come, and where
 * a formula cannot be read, it stands as it was written.
 */
export class Formulas {
  readonly #ask: (formulas: readonly Formula[]) => Promise<readonly string[] | undefined>;
  /** MathML by formula; empty where there is none. */
  readonly #known = new Map<string, string>();

  constructor(root: HTMLElement, ask: (formulas: readonly Formula[]) => Promise<readonly string[] | undefined>) {
    this.#ask = ask;
    gatherDrawn(
      root,
      (added) => {
        const codes = [...added.querySelectorAll<HTMLElement>('code.math-inline, code.math-display')];
        return codes.filter((code) => !this.#draw(code));
      },
      (codes) => this.#read(codes),
    );
  }

  async #read(codes: readonly HTMLElement[]): Promise<void> {
    const formulas = [...new Map(codes.map((code) => [keyOf(code), formulaOf(code)]))];
    for (let from = 0; from < formulas.length; from += BATCH) {
      const batch = formulas.slice(from, from + BATCH);
      const made = await this.#ask(batch.map(([, formula]) => formula));
      made?.forEach((mathml, at) => this.#known.set(batch[at]![0], mathml));
    }
    for (const code of codes) this.#draw(code);
  }

  /** False where it is not known yet how. */
  #draw(code: HTMLElement): boolean {
    const mathml = this.#known.get(keyOf(code));
    if (mathml === undefined) return false;
    if (mathml === '') return true;
    const drawn = document.createElement('span');
    drawn.className = code.className;
    drawn.title = code.textContent;
    drawn.append(sanitizeMath(mathml));
    code.replaceWith(drawn);
    return true;
  }
}

const formulaOf = (code: HTMLElement): Formula => ({
  tex: code.textContent,
  display: code.classList.contains('math-display'),
});

const keyOf = (code: HTMLElement): string => JSON.stringify(formulaOf(code));
