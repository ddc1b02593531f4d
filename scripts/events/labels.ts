import fs from 'node:fs';
import path from 'node:path';
import type { KeyEventKind, Span } from '../../src/core/model/key-event.ts';
import type { Role } from '../../src/core/model/message.ts';

export interface Label extends Span {
  readonly kinds: readonly KeyEventKind[];
  /** 0 to 3; worth keeping from 1.5 on, lasting from 2.5 on. */
  readonly importance: number;
}

/** A message with labeled spans. `agreed`: both people labeled them, or the only one did. `single`: one of two did. */
export interface LabeledMessage {
  readonly source: string;
  readonly role: Role;
  readonly before?: string;
  readonly text: string;
  readonly agreed: readonly Label[];
  readonly single: readonly Span[];
}

const ROLES = { U: 'user', A: 'assistant', T: 'tool' } as const;
/** The letter of each kind in the lessons. */
const KIND: Readonly<Record<string, KeyEventKind>> = {
  d: 'decision',
  e: 'error',
  p: 'preference',
  c: 'constraint',
  g: 'configuration',
  f: 'fact',
  t: 'todo',
  o: 'outcome',
};

/**
 * Parses dialogues: one line per message, with `U:`, `A:`, or `T:` for the speaker, `⏎` for a line break, and an empty
 * line between dialogues. `⟦c3 …⟧` marks a constraint of importance 3. A message that starts with `~` is only context.
 */
export function parseLessons(source: string, name: string): LabeledMessage[] {
  return source.split(/\n{2,}/).flatMap((dialogue) => {
    let before: string | undefined;
    return dialogue
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        const parts = /^([UAT]): ?(~?)(.*)$/.exec(line);
        if (parts === null) throw new Error(`${name}: a line without a speaker: ${line.slice(0, 60)}`);
        const { text, agreed } = unmark(parts[3]!.replaceAll('⏎', '\n'), name);
        const one = { source: name, role: ROLES[parts[1] as 'U' | 'A' | 'T'], text, agreed, single: [] };
        const labeled = before === undefined ? one : { ...one, before };
        before = text;
        return parts[2] === '~' ? [] : [labeled];
      });
  });
}

/** Removes the marks from a text and returns their spans. */
function unmark(marked: string, name: string): { text: string; agreed: Label[] } {
  let text = '';
  const agreed: Label[] = [];
  for (const [piece, letters, digit, words] of marked.matchAll(/⟦([a-z]+)([0-3]) ([^⟧]*)⟧|[^⟦]+|⟦/g)) {
    const start = text.length;
    text += words ?? piece;
    if (words === undefined) continue;
    const kinds = Array.from(letters!, (letter) => KIND[letter]);
    if (kinds.includes(undefined)) throw new Error(`${name}: no such kind: ${piece}`);
    agreed.push({
      start,
      end: text.length,
      kinds: kinds.filter((kind) => kind !== undefined),
      importance: Number(digit),
    });
  }
  return { text, agreed };
}

export const readLessons = (folder: string): LabeledMessage[] =>
  fs
    .readdirSync(folder)
    .sort()
    .flatMap((name) => parseLessons(fs.readFileSync(path.join(folder, name), 'utf8'), `lessons/${name}`));

/** Labeled messages, one JSON object per line; empty if the file doesn't exist. */
export function readLabels(file: string): LabeledMessage[] {
  if (!fs.existsSync(file)) return [];
  return jsonLines<LabeledMessage>(file)
    .filter(({ text }) => typeof text === 'string')
    .map((item) => ({ ...item, before: item.before || '(start)' }));
}

interface Turn {
  readonly role: Role;
  readonly content: string;
}

/** Length of the beginning of a message that was read and labeled, in UTF-16 units. */
export const LABELED_LENGTH = 3500;

/**
 * Messages that one reader labeled, with `[start, end, kind, importance]` for each span. Their texts are in the folder
 * `data`: a transcript in `dev` or `short`, or `bookings.json#ID` for a dialogue. Messages without a text are omitted.
 */
export function readReadings(file: string, data: string): LabeledMessage[] {
  const transcripts = new Map<string, Map<number, Turn>>();
  const turnsOf = (source: string): Map<number, Turn> => {
    const [name, id] = source.split('#');
    const from = ['dev', 'short'].map((folder) => path.join(data, folder, name!)).find((one) => fs.existsSync(one));
    if (from === undefined) return new Map();
    if (id === undefined) return new Map(jsonLines<Turn & { i: number }>(from).map((row) => [row.i, row]));
    const dialogues = JSON.parse(fs.readFileSync(from, 'utf8')) as { id: string; turns: [Role, string][] }[];
    const turns = dialogues.find((one) => one.id === id)?.turns ?? [];
    return new Map(turns.map(([role, content], at) => [at, { role, content }]));
  };
  type Reading = { source: string; message: number; spans: [number, number, KeyEventKind, number][] };
  return jsonLines<Reading>(file).flatMap(({ source, message, spans }) => {
    if (!transcripts.has(source)) transcripts.set(source, turnsOf(source));
    const turns = transcripts.get(source)!;
    const turn = turns.get(message);
    if (turn === undefined) return [];
    const agreed = spans.map(([start, end, kind, importance]) => ({ start, end, kinds: [kind], importance }));
    const before = turns.get(message - 1)?.content;
    return [{ source, role: turn.role, ...(before && { before }), text: turn.content, agreed, single: [] }];
  });
}

const jsonLines = <T>(file: string): T[] =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
