import type { SummaryField } from '../model/summary.ts';
import { textHash } from '../text/hash.ts';
import advisory from './advisory.md';
import checkSystem from './check-system.md';
import check from './check.md';
import customer from './customer.md';
import developer from './developer.md';
import retry from './retry.md';
import rolePlay from './role-play.md';
import short from './short.md';
import system from './system.md';

export const PRESETS = ['developer', 'customer', 'role-play', 'advisory'] as const;
/** The kind of conversation, which determines what a summary must keep. */
export type PresetName = (typeof PRESETS)[number];

const TEXTS: Readonly<Record<PresetName, string>> = { developer, customer, 'role-play': rolePlay, advisory };

/** The lists that a preset asks for, each with a description of its entries. */
export type SummaryFields = Readonly<Partial<Record<SummaryField, string>>>;

const FIELDS: Readonly<Record<PresetName, SummaryFields>> = {
  developer: {
    decisions: 'what was decided',
    constraints: 'a requirement, preference, prohibition or correction by the user, as it holds now',
    facts: 'a thing by its exact name: what it is or does, its values, what was found out about it',
    errors: 'an error in its words, and its cause',
    failedAttempts: 'what was tried or proposed, and why it failed or was rejected',
    outcomes: 'what was done and checked: files, commits, counts',
    openSteps: 'what is open or comes next',
  },
  advisory: {
    topics: 'a subject',
    decisions: 'what was decided',
    preferences: 'how the person wants to be advised',
    guidance: 'advice with its conditions, figures and deadlines',
    outcomes: 'a result',
    openSteps: 'what is pending, who does it, until when',
  },
  customer: {
    people: 'who the customer is, and what is known of them',
    intents: 'what they want',
    decisions: 'what was agreed, booked, changed or cancelled',
    preferences: 'what they prefer',
    openSteps: 'what is pending',
  },
  'role-play': {
    people: 'a character, creature or faction: who they are, how they stand to others',
    places: 'a place and what is there',
    inventory: 'who carries or has used up what',
    quests: 'a quest, goal or promise, and how far it is',
    conditions: 'who suffers or enjoys what',
    discoveries: 'a discovery, clue or secret',
    decisions: 'what the players decided',
  },
};

/** Fields besides `what`, for lists whose entries are objects. */
const EXTRA_FIELDS: Readonly<Partial<Record<string, object>>> = {
  decisions: { why: 'its reason', when: 'date or moment, if told' },
  errors: { solution: 'its fix' },
};

const NARRATIVE = 'what happened, in running text';
/** For developers, whose lists contain everything else. */
const SHORT_NARRATIVE = 'one or two sentences: what the work is, and how it stands at the end';

export interface SummaryPrompt {
  readonly text: string;
  /** Describes the conversation and what to keep of it, for the short form. */
  readonly focus: string;
  readonly fields: SummaryFields;
  readonly narrative: string;
  readonly style: SummaryStyle;
  /** Whether nothing in it is the user's, who may want a summary in another language than the conversation's. */
  readonly isPreset: boolean;
  /** Changes with any text that a model sees. Stored with each summary. */
  readonly version: string;
}

/** Placeholders of a summary prompt; those in `REQUIRED` must occur. */
const PLACEHOLDERS = ['history', 'format', 'words'] as const;
const REQUIRED = ['history', 'format'] as const;

/** Faults of a user's prompt: missing and unknown placeholders. */
export interface PromptFaults {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
}

/** Checks a user's prompt. Both lists are empty if it's valid. */
export function checkPrompt(text: string): PromptFaults {
  const found = new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? ''));
  return {
    missing: REQUIRED.filter((name) => !found.has(name)),
    unknown: [...found].filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name)),
  };
}

/** The form of a summary: JSON with a narrative and lists, or always two to three sentences of plain text. */
export type SummaryStyle = 'structured' | 'sentences';

/**
 * The prompt of a preset or the user's replacement. `instructions` are the user's wishes for a single summary.
 *
 * @throws {RangeError} if the user's prompt is invalid
 */
export function summaryPrompt(
  preset: PresetName,
  replacement?: string,
  style: SummaryStyle = 'structured',
  instructions = '',
): SummaryPrompt {
  // The user's instructions must not be parsed as a template.
  const wish = instructions.trim().replaceAll(/\{(?=\{)/g, '{ ');
  const suffix = wish === '' ? '' : `\n\nFor this record in particular: ${wish}`;
  const text = (replacement ?? TEXTS[preset]) + suffix;
  if (replacement !== undefined) {
    const { missing, unknown } = checkPrompt(replacement);
    if (missing.length > 0) throw new RangeError(`The prompt lacks ${missing.map((one) => `{{${one}}}`).join(', ')}.`);
    if (unknown.length > 0) throw new RangeError(`Nothing fills ${unknown.map((one) => `{{${one}}}`).join(', ')}.`);
  }
  const name = replacement === undefined ? preset : 'custom';
  const fields = FIELDS[preset];
  const narrative = preset === 'developer' ? SHORT_NARRATIVE : NARRATIVE;
  // The first paragraph of a user's prompt may be anything, so the preset's is used.
  const focus = TEXTS[preset].split('\n\n', 1)[0]! + suffix;
  const modelTexts = [system, text, focus, formatOf({ fields, narrative }), retry, short, style];
  const isPreset = replacement === undefined && wish === '';
  return { text, focus, fields, narrative, style, isPreset, version: `${name}-${textHash(modelTexts).slice(-8)}` };
}

/** The JSON object that a preset asks for, with descriptions as values. */
export function formatOf({ fields, narrative }: Pick<SummaryPrompt, 'fields' | 'narrative'>): string {
  const lists = Object.entries(fields).map(([name, hint]) => {
    const extra = EXTRA_FIELDS[name];
    return [name, [extra ? { what: hint, ...extra } : hint]] as const;
  });
  return JSON.stringify({ narrative, ...Object.fromEntries(lists) });
}

export const MERGE_INSTRUCTIONS =
  'it is the summaries of consecutive parts of one conversation, oldest first, which no longer fit. Merge them into one. Keep what somebody may still need or ask about, from early parts as well as late ones; where a later part repeats or changes something, say it once, as it holds now.';

export interface RenderedPrompt {
  readonly system: string;
  readonly prompt: string;
}

/** The prompt for a segment. `words` is the requested length of the response. */
export function renderSummaryPrompt(prompt: SummaryPrompt, history: string, words: number): RenderedPrompt {
  return rendered(prompt.text, history, { format: formatOf(prompt), words: String(words) });
}

/** The short form: a few sentences of plain text, without a format that could be wrong. */
export function renderShortPrompt(prompt: SummaryPrompt, history: string, words: number): RenderedPrompt {
  return rendered(short, history, { focus: prompt.focus, words: String(words) });
}

function rendered(template: string, history: string, values: Readonly<Record<string, string>>): RenderedPrompt {
  const fence = fenceFor(history);
  return {
    system: fill(system, { fence }).trim(),
    prompt: fill(template, { ...values, history: fenced(history, fence) }).trim(),
  };
}

/** The same prompt with the faults of the first response. */
export function renderRetryPrompt(first: RenderedPrompt, faults: readonly string[]): RenderedPrompt {
  const lines = faults.map((fault) => `- ${fault}`).join('\n');
  return { system: first.system, prompt: fill(retry, { faults: lines, prompt: first.prompt }).trim() };
}

/** The prompt to check statements of a summary against its source. */
export function renderCheckPrompt(record: string, statements: readonly string[]): RenderedPrompt {
  const list = statements.map((text, at) => `${at + 1}. ${text.replace(/\s+/g, ' ').trim()}`).join('\n');
  const fence = fenceFor(`${record}\n${list}`);
  return {
    system: fill(checkSystem, { fence }).trim(),
    prompt: fill(check, { record: fenced(record, fence), statements: fenced(list, fence) }).trim(),
  };
}

const PLACEHOLDER = /\{\{\s*([a-z]+)\s*\}\}/g;

/** Fills placeholders in one pass, so that inserted text is never parsed as a template. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

const fenced = (history: string, fence: string): string => `${fence}\n${history}\n${fence}`;

/** A line that the data doesn't contain. It's derived from the data, so that the same segment gives the same prompt. */
function fenceFor(history: string): string {
  for (let salt = 0; ; salt++) {
    const fence = `=====${textHash([history, String(salt)])}=====`;
    if (!history.includes(fence)) return fence;
  }
}
