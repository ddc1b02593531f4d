/**
 * Finds the keyboard another place when what had it is taken off the page or can no longer be used: a message that is
 * deleted, a toast that is dismissed, a button that rests while a reply arrives. Browsers drop it to the body, and who
 * works without a pointer would have to start at the top of the page. `otherwise` is asked when nothing around is left.
 */
export function keepFocus(root: HTMLElement, otherwise: () => void): void {
  let last: HTMLElement | undefined;
  /** What stood around it and can take the keyboard, the innermost first. */
  let around: HTMLElement[] = [];
  const look = (): void => {
    if (!last || (last.isConnected && !last.matches(':disabled'))) return;
    const { activeElement } = document;
    // Somebody has seen to it already.
    if (activeElement !== null && activeElement !== document.body && activeElement !== last) return;
    last = undefined;
    if (!document.hasFocus()) return;
    const next = around.find((element) => element.isConnected);
    if (next) next.focus({ preventScroll: true });
    else otherwise();
  };
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    around = [];
    for (let at = target.parentElement; at && at !== root; at = at.parentElement)
      if (at.hasAttribute('tabindex')) around.push(at);
  });
  // The editor gives the keyboard to the page, not to anything in it.
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) otherwise();
  });
  new MutationObserver(look).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}
