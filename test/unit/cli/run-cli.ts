import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { Output } from '../../../src/cli/output.ts';

export const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The command line that `npm run build` has written. */
export const CLI = path.join(ROOT, 'dist/cli.js');
export const TRANSCRIPTS = path.join(ROOT, 'test/fixtures/transcripts');

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function cleanEnv(): NodeJS.ProcessEnv {
  const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, ...clean } = process.env;
  return clean;
}

class KeptOutput extends Output {
  out = '';
  err = '';

  override write(text: string): Promise<void> {
    this.out += text;
    return Promise.resolve();
  }

  override note(line: string): Promise<void> {
    this.err += `${line}\n`;
    return Promise.resolve();
  }
}

/** Runs the command line in this process, which saves starting Node.js and loading modules. */
export async function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  const output = new KeptOutput();
  const code = await runCommandLine(args, output, { ...cleanEnv(), ...env });
  return { code, out: output.out, err: output.err };
}

/**
 * Runs the command line in a separate process with piped output. `input` is sent to standard input. With `ignoresErr`,
 * the reading end of standard error is closed.
 */
export async function spawnCli(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly ignoresErr?: boolean;
  } = {},
): Promise<CliResult> {
  const child = startCli(args, options.env);
  child.stdin.end(options.input);
  if (options.ignoresErr === true) child.stderr.destroy();
  return await new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** The last change of a source file, in ms since the epoch. */
const changedAt = Math.max(
  ...readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(path.join(ROOT, 'src', name)).mtimeMs,
  ),
);

/** Starts the built command line in a separate process with piped input and output. */
export const startCli = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams => {
  if (statSync(CLI).mtimeMs < changedAt) throw new Error('dist/cli.js is older than the source. Run npm run build.');
  return spawn(process.execPath, [CLI, ...args], { cwd: ROOT, env: { ...cleanEnv(), ...env } });
};

/** The JSON object of a successful run with `--json`. */
export async function runJson(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await runCli([...args, '--json']);
  if (code !== 0) throw new Error(`exit ${code}: ${err}`);
  const parsed: unknown = JSON.parse(out);
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`no object: ${out.slice(0, 100)}`);
  return parsed as Record<string, unknown>;
}
