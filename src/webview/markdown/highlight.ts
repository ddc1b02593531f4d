import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { sanitizeHighlighted } from './sanitize.ts';

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, lua, makefile, markdown },
  ...{ php, powershell, python, ruby, rust, scss, shell, sql, swift, typescript, xml, yaml },
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
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
