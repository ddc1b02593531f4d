import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chosenModel } from '../../src/cli/chosen-model.ts';
import { askAboutStatements } from '../../src/core/audit/asked.ts';
import type { CheckedStatement } from '../../src/core/audit/statements.ts';
import type { Verdict } from '../../src/core/audit/verdicts.ts';
import { CallLog, type SummaryModel } from '../../src/core/compress/summary-model.ts';
import { ALONE } from '../../src/core/pace/breather.ts';
import { loadEncoding } from '../../src/core/tokens/token-counter.ts';
import {
  firstFaults,
  figuresOf,
  plantedCases,
  type PlantedCase,
  type PlantedFigures,
  type PlantedStatement,
} from './planted.ts';
import type { WireServer } from './wire-server.ts';

/** The summaries of real transcripts that a model was asked about, and which of their thirds tell something false. */
const ASKED = {
  known: [
    ['made', 'A'],
    ['real', 'A'],
  ],
  held: [
    ['madeHeld', 'A'],
    ['realHeld', 'A'],
    ['madeHeld', 'B'],
    ['realHeld', 'B'],
  ],
} as const;
export type AskedSet = keyof typeof ASKED;

/** A summary in which about every third line tells something false. */
interface FaultySummary extends Pick<PlantedCase, 'messages'> {
  readonly lines: readonly PlantedStatement[];
}

function* summariesOf(asked: AskedSet): Generator<FaultySummary> {
  for (const [set, third] of ASKED[asked])
    for (const { name, messages, statements } of plantedCases(set))
      yield { messages, lines: linesOf(statements).map((line, at) => choose(line, `${set} ${name} ${at}`, third)) };
}

/** A true statement with the falsehoods that may stand in its place. */
function linesOf(statements: readonly PlantedStatement[]): (readonly PlantedStatement[])[] {
  const lines: PlantedStatement[][] = [];
  for (const statement of statements) {
    if (statement.planted === undefined) lines.push([statement]);
    else lines.at(-1)!.push(statement);
  }
  return lines;
}

function choose(line: readonly PlantedStatement[], key: string, third: 'A' | 'B'): PlantedStatement {
  const [truth, ...falsehoods] = line;
  const turn = Math.trunc(chance(key) * 3);
  const isFalse = falsehoods.length > 0 && ((third === 'A' ? 0 : 1) + turn) % 3 === 0;
  return isFalse ? falsehoods[Math.floor(chance(key + third) * falsehoods.length)]! : truth!;
}

/** 0…1, always the same for the same key. */
const chance = (key: string): number => createHash('sha256').update(key).digest().readUInt32LE(0) / 2 ** 32;

/** A model that is asked over HTTP, and whose server gives the recorded answers. */
export async function recordedModel(server: WireServer): Promise<SummaryModel> {
  const recording = readRecording();
  server.answerWith((prompt) => recordedAnswer(recording, prompt));
  const options = { provider: 'openai', 'base-url': `${server.url}/v1` };
  const { model } = await chosenModel({ options, env: { OPENAI_API_KEY: 'sk-recorded' } });
  if (!model) throw new Error('there is no model to ask');
  return model;
}

/** Has a model check the summaries; none where the transcripts are absent. `onWrong` is told of each mistake. */
export async function scoreAsked(
  set: AskedSet,
  model: SummaryModel,
  onWrong: (statement: PlantedStatement, found: CheckedStatement | undefined) => void = () => undefined,
): Promise<PlantedFigures | undefined> {
  const counter = await loadEncoding('o200k_base');
  const judged: { readonly planted: string | undefined; readonly isMarked: boolean }[] = [];
  for (const { messages, lines } of summariesOf(set)) {
    const { statements, fault } = await askAboutStatements(lines.map(({ text }) => text).join('\n'), messages, {
      model,
      counter,
      breather: ALONE,
      calls: new CallLog(),
      cancel: { aborted: false },
    });
    if (fault !== undefined) throw fault;
    for (const [at, wrong] of firstFaults(lines, statements).entries()) {
      const line = lines[at]!;
      judged.push({ planted: line.planted, isMarked: wrong !== undefined });
      if ((wrong !== undefined) !== (line.planted !== undefined)) onWrong(line, wrong);
    }
  }
  return figuresOf(judged);
}

/** Verdicts that were recorded, one letter for each statement, by the prompt they answer. */
interface Recording {
  /** Who answered. */
  readonly model: string;
  readonly verdicts: Readonly<Record<string, string>>;
}

export const RECORDING = path.resolve(import.meta.dirname, '../fixtures/statements-asked.json');

export const LETTERS = { t: 'told', o: 'otherwise', u: 'untold' } as const satisfies Record<string, Verdict>;

/** The same prompt has the same key, and another one another. */
export const promptKey = (prompt: string): string => createHash('sha256').update(prompt).digest('hex').slice(0, 16);

/** What was recorded. Quotations are not: they are the transcripts' own text. */
const readRecording = (): Recording =>
  existsSync(RECORDING) ? (JSON.parse(readFileSync(RECORDING, 'utf8')) as Recording) : { model: '', verdicts: {} };

/** The answer that was recorded to a prompt, in the form that the prompt asks for. Throws where there is none. */
function recordedAnswer({ verdicts }: Recording, prompt: string): string {
  const letters = verdicts[promptKey(prompt)];
  if (letters === undefined)
    throw new Error('No answer is recorded to this prompt: `npm run bench:record -- openai MODEL` asks a model anew.');
  const statements = Array.from(letters).flatMap((letter, at) => {
    const verdict = (LETTERS as Readonly<Record<string, Verdict>>)[letter];
    return verdict === undefined ? [] : [{ n: at + 1, quote: '', verdict, instead: '' }];
  });
  return JSON.stringify({ statements });
}
