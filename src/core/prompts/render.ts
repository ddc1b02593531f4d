import { textHash } from '../text/hash.ts';
import advisory from './advisory.md';
import checkSystem from './check-system.md';
import check from './check.md';
import customer from './customer.md';
import developer from './developer.md';
import format from './format.md';
import retry from './retry.md';
import rolePlay from './role-play.md';
import sentences from './sentences.md';
import system from './system.md';
import tight from './tight.md';

export const PRESETS = ['developer', 'customer', 'role-play', 'advisory'] as const;
/** What a summary must keep and may drop, by the kind of conversation. */
export type PresetName = (typeof PRESETS)[number];

const TEXTS: Readonly<Record<PresetName, string>> = { developer, customer, 'role-play': rolePlay, advisory };

/** The text of a preset, for a user to copy and change. */
export const presetText = (name: PresetName): string => TEXTS[name];

/** A prompt that is ready to be rendered. */
export interface SummaryPrompt {
  readonly name: string;
  readonly text: string;
  /** Changes whenever any text changes that a model would see; kept with each summary. */
  readonly version: string;
}

/** Placeholders that a summary prompt may hold; those in `REQUIRED` it must hold. */
const PLACEHOLDERS = ['history', 'format', 'words'] as const;
const REQUIRED = ['history', 'format'] as const;

/** What is wrong with a user's prompt: placeholders that are missing or that nothing fills. */
export interface PromptFaults {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
}

/** Checks a user's own prompt. Both lists are empty when it can be used. */
export function checkPrompt(text: string): PromptFaults {
  const found = new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? ''));
  return {
    missing: REQUIRED.filter((name) => !found.has(name)),
    unknown: [...found].filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name)),
  };
}

/** How long the narrative is: as long as it needs, or two to three sentences. */
export type SummaryStyle = 'structured' | 'sentences';

/** The prompt of a preset, or the user's own text in its place. @throws {RangeError} when the user's text cannot be used */
export function summaryPrompt(
  preset: PresetName,
  replacement?: string,
  style: SummaryStyle = 'structured',
): SummaryPrompt {
  const body = replacement ?? TEXTS[preset];
  const text = style === 'sentences' ? `${body.trimEnd()}\n${sentences}` : body;
  if (replacement !== undefined) {
    const { missing, unknown } = checkPrompt(replacement);
    if (missing.length > 0) throw new RangeError(`The prompt lacks ${missing.map((one) => `{{${one}}}`).join(', ')}.`);
    if (unknown.length > 0) throw new RangeError(`Nothing fills ${unknown.map((one) => `{{${one}}}`).join(', ')}.`);
  }
  const name = replacement === undefined ? preset : 'custom';
  return { name, text, version: `${name}-${textHash([system, text, format, retry, tight]).slice(-8)}` };
}

export interface RenderedPrompt {
  readonly system: string;
  readonly prompt: string;
}

/** A prompt for a segment. `words` bounds the answer. */
export function renderSummaryPrompt(prompt: SummaryPrompt, history: string, words: number): RenderedPrompt {
  const fence = fenceFor(history);
  return {
    system: fill(system, { fence }).trim(),
    prompt: fill(prompt.text, {
      history: fenced(history, fence),
      format: format.trim(),
      words: String(words),
    }).trim(),
  };
}

/** The same prompt once more, with what was wrong with the first answer. */
export function renderRetryPrompt(first: RenderedPrompt, faults: readonly string[]): RenderedPrompt {
  const lines = faults.map((fault) => `- ${fault}`).join('\n');
  return { system: first.system, prompt: fill(retry, { faults: lines, prompt: first.prompt }).trim() };
}

/** The last prompt of the ladder: few words, no form that could be got wrong. */
export function renderTightPrompt(history: string, words: number): RenderedPrompt {
  const fence = fenceFor(history);
  return {
    system: fill(system, { fence }).trim(),
    prompt: fill(tight, { history: fenced(history, fence), words: String(words) }).trim(),
  };
}

/** A prompt that has statements of a summary checked against its source. */
export function renderCheckPrompt(record: string, statements: readonly string[]): RenderedPrompt {
  const list = statements.map((text, at) => `${at + 1}. ${text.replace(/\s+/g, ' ').trim()}`).join('\n');
  const fence = fenceFor(`${record}\n${list}`);
  return {
    system: fill(checkSystem, { fence }).trim(),
    prompt: fill(check, { record: fenced(record, fence), statements: fenced(list, fence) }).trim(),
  };
}

const PLACEHOLDER = /\{\{\s*([a-z]+)\s*\}\}/g;

/** Fills placeholders in one pass: what is filled in is never read as a template. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

const fenced = (history: string, fence: string): string => `${fence}\n${history}\n${fence}`;

/** A line that the data does not hold, made from the data, so that the same segment gives the same prompt. */
function fenceFor(history: string): string {
  for (let salt = 0; ; salt++) {
    const fence = `=====${textHash([history, String(salt)])}=====`;
    if (!history.includes(fence)) return fence;
  }
}
