import type { Task } from './task.ts';

/** An item of a task list in a message. */
export interface ListedStep {
  readonly text: string;
  readonly done: boolean;
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/;

/** The task list items (`- [ ] …`, `1. [x] …`) of a message, in order, outside of code. Linear in its length. */
export function listedSteps(source: string): ListedStep[] {
  if (!source.includes('[')) return [];
  const steps: ListedStep[] = [];
  let fence: string | undefined;
  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && /^[`~ \t\r]*$/.test(line)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else {
      const item = line.trim();
      const found = ITEM.exec(item);
      const text = found ? item.slice(found[0].length).trim() : '';
      if (found && text !== '') steps.push({ text, done: found[1] !== ' ' });
    }
  }
  return steps;
}

/**
 * Which open steps of a task a reply reports as done: those that stand ticked in a task list of it, by the same words
 * whatever their marks and case, or followed by a remark after a colon, dash or bracket. Indices into the steps.
 */
export function stepsReportedDone({ steps }: Task, reply: string): number[] {
  const done = listedSteps(reply)
    .filter((listed) => listed.done)
    .map((listed) => words(listed.text));
  const reported = (step: string): boolean => {
    const wanted = words(step);
    return wanted !== '' && done.some((said) => said === wanted || REMARK.test(after(said, wanted)));
  };
  return steps.flatMap(({ text, status }, index) =>
    (status === 'pending' || status === 'in_progress') && reported(text) ? [index] : [],
  );
}

const REMARK = /^ ?(?:[:(–—]|- )/;

/** What follows `start` in a text that begins with it; nothing where it does not. */
const after = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : '');

/** A step as it is compared: without marks of emphasis and code, and without its full stop. */
const words = (text: string): string => {
  const plain = text
    .replace(/[*_`~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  let end = plain.length;
  while (end > 0 && '.!。'.includes(plain[end - 1]!)) end--;
  return plain.slice(0, end);
};
