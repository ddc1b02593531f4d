import type { ParseArgsOptionsConfig } from 'node:util';
import type { Output } from './output.ts';

/** The command line or its input is invalid; `message` is a sentence for the user. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The options' values, as returned by `parseArgs`. */
export type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Invocation {
  readonly file: string;
  readonly options: OptionValues;
  /** `--json`: print a single JSON object to standard output. */
  readonly json: boolean;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A verb of the command line. */
export interface Verb {
  /** The output of `--help`. */
  readonly help: string;
  /** Options besides `--json` and `--help`, which every verb has. */
  readonly options: ParseArgsOptionsConfig;
  /** Whether the verb takes no FILE. */
  readonly isWithoutFile?: boolean;
  /** Resolves to the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** The value of a text option. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a required option. */
export function requiredOption(options: OptionValues, name: string): string {
  const value = textOption(options, name);
  if (value === undefined || value.trim() === '') throw new UsageError(`Missing option --${name}.`);
  return value;
}

/** The value of an integer option, at least `least`. */
export function wholeOption(options: OptionValues, name: string, least: number): number | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
    throw new UsageError(`--${name} must be an integer of at least ${least}, not “${value}”.`);
  }
  return number;
}

/** The value of an option with a fixed set of values. */
export function choiceOption<Word extends string>(
  options: OptionValues,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const word = words.find((one) => one === value);
  if (word === undefined) throw new UsageError(`--${name} must be one of ${words.join(', ')}, not “${value}”.`);
  return word;
}
