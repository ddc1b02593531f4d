import type { ParseArgsOptionsConfig } from 'node:util';
import type { Output } from './output.ts';
import type { PaidCalls } from './paid-calls.ts';

/** The command line or its input is invalid; `message` is a sentence for the user. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Invocation {
  /** Empty if the command takes no FILE. */
  readonly file: string;
  readonly options: OptionValues;
  /** `--json`: print a single JSON object to standard output. */
  readonly json: boolean;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reported if the command fails. */
  readonly paid: PaidCalls;
}

export interface Command {
  readonly help: string;
  /** Options besides `--json` and `--help`, which every command has. */
  readonly options: ParseArgsOptionsConfig;
  readonly isWithoutFile?: boolean;
  /** Resolves to undefined if the command has printed everything itself. */
  run(invocation: Invocation): Promise<CommandResult | undefined>;
}

export interface CommandResult {
  /** Printed with `--json`. */
  readonly json: object;
  /** Printed without it, and without terminal codes, because most of it comes from transcripts. */
  readonly text: string;
  /** Lines for standard error after `text`. */
  readonly notes?: readonly string[];
  /** Default: 0. */
  readonly exitCode?: number;
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a required option. Throws `UsageError`. */
export function requiredOption(options: OptionValues, name: string): string {
  const value = textOption(options, name);
  if (value === undefined || value.trim() === '') throw new UsageError(`Missing option --${name}.`);
  return value;
}

/** The value of an integer option. Throws `UsageError` if it's less than `min`. */
export function integerOption(options: OptionValues, name: string, min: number): number | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < min) {
    throw new UsageError(`--${name} must be an integer of at least ${min}, not “${value}”.`);
  }
  return number;
}

/** The value of an option with a fixed set of values. Throws `UsageError`. */
export function choiceOption<Choice extends string>(
  options: OptionValues,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw new UsageError(`--${name} must be one of ${choices.join(', ')}, not “${value}”.`);
  return choice;
}
