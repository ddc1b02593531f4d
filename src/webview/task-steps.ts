/** An item of a task list in a reply. */
export interface ListedStep {
  readonly text: string;
  readonly done: boolean;
}

/** The task list items (`- [ ] …`, `1. [x] …`) of a reply, outside of code. */
export function taskSteps(source: string): ListedStep[] {
  const prose = source.replace(/^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm, '');
  const found = prose.matchAll(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)$/gm);
  return [...found].map((match) => ({ text: match[2]!.trim(), done: match[1] !== ' ' }));
}
