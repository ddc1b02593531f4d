import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkStatements, type CheckedStatement } from '../../src/core/audit/statements.ts';
import type { ContentBlock, Role } from '../../src/core/model/message.ts';
import { contentOf } from '../../src/core/transcript/transcript-message.ts';
import { readTranscript } from '../../src/core/transcript/transcript-reader.ts';

/** A sentence of a summary: as it is true, or with one falsehood planted in it. */
export interface PlantedStatement {
  readonly text: string;
  /** What was changed; undefined in a true sentence. */
  readonly planted: string | undefined;
}

export interface PlantedCase {
  readonly name: string;
  readonly messages: readonly { readonly role: Role; readonly content: readonly ContentBlock[] }[];
  readonly statements: readonly PlantedStatement[];
}

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');
/** Where the real transcripts are that some summaries speak of. */
const DATA = path.resolve(import.meta.dirname, '../..', process.env['THREADKEEPER_DATA'] ?? '../shared/data', 'dev');
/**
 * Sets of statements: close to their sources; worded freely; as a model sums up whole real transcripts; and as a model
 * answers the product's own prompt for a segment of one, with a falsehood put wherever one can be. Of the latter three
 * there are those that the checker was tuned on and those held back.
 */
export const STATEMENTS = {
  close: 'statements',
  free: 'statements-free/known',
  freeHeld: 'statements-free/held',
  real: 'statements-real/known',
  realHeld: 'statements-real/held',
  made: 'statements-made/known',
  madeHeld: 'statements-made/held',
} as const;
export type StatementSet = keyof typeof STATEMENTS;
const CHOICE = /\{([^}]*)\}/g;

/**
 * Transcripts with the sentences of a correct summary, and falsehoods planted in them, one at a time. In a file the
 * messages come first, each line `speaker: text`, or `@ sample-session.jsonl 0-56` for messages of the sample session, or
 * `@@ file.jsonl` for a whole transcript of the shared data, `@@ file.jsonl 94-151` for some of its messages (left out
 * where it is absent); after `===` the sentences of the summary, in which `{true|kind:false|…}` gives the truth and what may
 * be put in its place.
 */
export function plantedCases(set: StatementSet): PlantedCase[] {
  const folder = path.join(FIXTURES, STATEMENTS[set]);
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const [talk = '', summary = ''] = readFileSync(path.join(folder, file), 'utf8').split('===\n');
      const messages = messagesOf(talk.trim());
      return { name: path.parse(file).name, messages, statements: summary.trim().split('\n').flatMap(variants) };
    })
    .filter(({ messages }) => messages.length > 0);
}

function messagesOf(talk: string): PlantedCase['messages'] {
  const [, shared, first = '0', last = 'Infinity'] = /^@@ (\S+)(?: (\d+)-(\d+))?$/.exec(talk) ?? [];
  if (shared !== undefined) return sharedMessages(path.join(DATA, shared)).slice(Number(first), Number(last) + 1);
  const [, sample, from, to] = /^@ (\S+) (\d+)-(\d+)$/.exec(talk) ?? [];
  if (sample === undefined) return talk.split('\n').map(toMessage);
  return readMessages(path.join(FIXTURES, 'demo-workspace', sample)).slice(Number(from), Number(to) + 1);
}

const sharedMessages = (file: string): PlantedCase['messages'] => (existsSync(file) ? readMessages(file) : []);

function readMessages(file: string): PlantedCase['messages'] {
  const { transcript } = readTranscript(readFileSync(file, 'utf8'));
  return transcript.map((message) => ({ role: message.role, content: contentOf(message) }));
}

function toMessage(line: string): PlantedCase['messages'][number] {
  const [, speaker = '', text = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
  if (speaker !== 'user' && speaker !== 'assistant' && speaker !== 'tool') throw new Error(`who says “${line}”?`);
  return { role: speaker, content: [{ type: 'text', text }] };
}

/** The true sentence, and one for each falsehood. */
function variants(line: string): PlantedStatement[] {
  const all: PlantedStatement[] = [{ text: fill(line, -1, 0), planted: undefined }];
  for (const [at, [, choices = '']] of [...line.matchAll(CHOICE)].entries()) {
    for (const [option, choice] of choices.split('|').entries()) {
      if (option > 0) all.push({ text: fill(line, at, option), planted: choice.slice(0, choice.indexOf(':')) });
    }
  }
  return all;
}

/** The sentence with the truth everywhere but at one place. */
function fill(line: string, place: number, option: number): string {
  let at = -1;
  return line.replace(CHOICE, (_, choices: string) => {
    at++;
    const chosen = choices.split('|')[at === place ? option : 0] ?? '';
    return at === place ? chosen.slice(chosen.indexOf(':') + 1) : chosen;
  });
}

export interface PlantedFigures {
  readonly falsehoods: number;
  readonly truths: number;
  /** Shares that a checker marks, 0…1. */
  readonly marked: number;
  readonly wronglyMarked: number;
}

/** How the checker does on them; `onWrong` is told of each mistake. None where the transcripts are absent. */
export function scorePlanted(
  set: StatementSet,
  onWrong: (name: string, statement: PlantedStatement, reason: string) => void = () => undefined,
): PlantedFigures | undefined {
  const judged: { readonly planted: string | undefined; readonly isMarked: boolean }[] = [];
  for (const { name, messages, statements } of plantedCases(set)) {
    const found = checkStatements(statements.map(({ text }) => text).join('\n'), messages).statements;
    for (const [at, fault] of firstFaults(statements, found).entries()) {
      const statement = statements[at]!;
      judged.push({ planted: statement.planted, isMarked: fault !== undefined });
      if ((fault !== undefined) !== (statement.planted !== undefined))
        onWrong(name, statement, fault?.reason ?? 'supported');
    }
  }
  return figuresOf(judged);
}

/** The shares, of what was marked and what was not; undefined of nothing. */
export function figuresOf(
  judged: readonly { readonly planted: string | undefined; readonly isMarked: boolean }[],
): PlantedFigures | undefined {
  const falsehoods = judged.filter(({ planted }) => planted !== undefined);
  const truths = judged.filter(({ planted }) => planted === undefined);
  if (truths.length === 0) return undefined;
  const share = (of: typeof judged): number => of.filter(({ isMarked }) => isMarked).length / of.length;
  return {
    falsehoods: falsehoods.length,
    truths: truths.length,
    marked: share(falsehoods),
    wronglyMarked: share(truths),
  };
}

/** The first fault of each line, which may be several statements; the lines were checked as one text. */
export function firstFaults<Found extends CheckedStatement>(
  lines: readonly PlantedStatement[],
  found: readonly Found[],
): (Found | undefined)[] {
  let start = 0;
  return lines.map(({ text }) => {
    const end = start + text.length;
    const own = found.filter((one) => one.start >= start && one.end <= end);
    start = end + 1;
    return own.find(({ supported }) => !supported);
  });
}
