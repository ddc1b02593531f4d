/**
 * Finds the keyboard another place when what had it is taken off the page or can no longer be used: a message that is
 * deleted, a toast that is dismissed, a button that rests while a reply arrives. Browsers drop it to the body, and who
 * works without a pointer would have to start at the top of the page.
 */
export class FocusKeeper {
  readonly #root: HTMLElement;
  readonly #otherwise: () => void;
  #last: HTMLElement | undefined;
  /** What stood around it and can take the keyboard, the innermost first. */
  #around: readonly HTMLElement[] = [];

  /** `otherwise` is asked when nothing around what had the keyboard is left. */
  constructor(root: HTMLElement, otherwise: () => void) {
    this.#root = root;
    this.#otherwise = otherwise;
    root.addEventListener('focusin', (event) => this.#note(event.target));
    // The editor gives the keyboard to the page, not to anything in it.
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) otherwise();
    });
    new MutationObserver(() => this.#look()).observe(root, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    });
  }

  #note(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement)) return;
    this.#last = target;
    const around: HTMLElement[] = [];
    for (let at = target.parentElement; at && at !== this.#root; at = at.parentElement)
      if (at.hasAttribute('tabindex')) around.push(at);
    this.#around = around;
  }

  #look(): void {
    const last = this.#last;
    if (!last || (last.isConnected && !last.matches(':disabled'))) return;
    const { activeElement } = document;
    // Somebody has seen to it already.
    if (activeElement !== null && activeElement !== document.body && activeElement !== last) return;
    this.#last = undefined;
    if (!document.hasFocus()) return;
    const next = this.#around.find((element) => element.isConnected);
    if (next) next.focus({ preventScroll: true });
    else this.#otherwise();
  }
}
