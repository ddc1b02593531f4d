import hljs from 'highlight.js/lib/common';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import powershell from 'highlight.js/lib/languages/powershell';
import { sanitizeHighlighted } from './sanitize.ts';

hljs.registerLanguage('dockerfile', dockerfile);
hljs.registerLanguage('powershell', powershell);
hljs.registerAliases(['vue', 'svelte'], { languageName: 'xml' });
hljs.registerAliases(['jsonc', 'json5'], { languageName: 'json' });

/** Maximum length of highlighted code, in characters. Longer code would block the page noticeably. */
const MAX_CODE_LENGTH = 20_000;
/** Maximum length of a line in highlighted code, in characters. Some grammars take quadratic time for a line. */
const MAX_LINE_LENGTH = 1_000;

/** Highlights the code in `element` after the current task, unless it's too long or the language is unknown. */
export function highlightSoon(element: HTMLElement, language: string): void {
  const code = element.textContent;
  const isLong = code.length > MAX_CODE_LENGTH || code.split('\n').some((line) => line.length > MAX_LINE_LENGTH);
  if (isLong || !hljs.getLanguage(language)) return;
  // Not `requestIdleCallback`, which Safari lacks.
  setTimeout(() => {
    const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
    element.replaceChildren(sanitizeHighlighted(value));
  });
}
