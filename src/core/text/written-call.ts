import { isList, isObject, textAt, tryParse, type JsonObject } from './json-value.ts';
import { truncate } from './truncate.ts';
import { effectsOfCall, type ToolEffect } from './tool-effects.ts';

/** A tool call that is a line of `messageText`. */
export interface WrittenCall {
  /** What the call does, in words: "The file a.ts was changed.", "Run the tests: `npm test`". */
  readonly words: string;
  readonly effects: readonly Omit<ToolEffect, 'ok'>[];
  /** The texts that it writes to a file. */
  readonly written: readonly string[];
}

/** In UTF-16 units. */
const MAX_WORDS = 400;
const CALL = /^[A-Za-z][\w.:-]{0,80} \{"[\w-]+" ?:/;
const WRITTEN_ARGUMENTS = ['content', 'contents', 'file_text', 'new_string', 'new_str', 'newString', 'insert_text'];

/** Whether a line is a tool call, by its beginning: `Edit {"file_path":…`. */
export const beginsLikeCall = (line: string): boolean => CALL.test(line);

/** The tool call in a line of `messageText`; undefined for other lines, and for calls that words can't replace. */
export function callIn(line: string): WrittenCall | undefined {
  if (!line.endsWith('}') || !beginsLikeCall(line)) return undefined;
  const nameLength = line.indexOf(' ');
  const json = line.slice(nameLength + 1);
  const args = tryParse(json);
  if (!isObject(args)) return undefined;
  const name = line.slice(0, nameLength);
  const effects = effectsOfCall(name, json);
  const words = wordsOf(name, args, effects)?.replace(/\s+/g, ' ');
  return words === undefined ? undefined : { words: truncate(words, MAX_WORDS), effects, written: writtenBy(args) };
}

function wordsOf(name: string, args: JsonObject, effects: readonly ToolEffect[]): string | undefined {
  const changed = effects.flatMap(({ kind, what }) => (kind === 'edit' ? what : []));
  if (changed.length === 1) return `The file ${changed[0]!} was changed.`;
  if (changed.length > 1) return `The files ${changed.join(' and ')} were changed.`;
  const described = textAt(args, 'subject') ?? textAt(args, 'description');
  const what = effects[0]?.what.split('\n', 1)[0];
  return what === undefined ? described : `${described ?? name}: \`${what}\``;
}

function writtenBy(args: JsonObject): string[] {
  const edits = isList(args['edits']) ? args['edits'].filter(isObject) : [];
  return [args, ...edits].flatMap((one) => WRITTEN_ARGUMENTS.flatMap((name) => textAt(one, name) ?? []));
}
