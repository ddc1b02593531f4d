import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Child processes that end with this one. Each has its own process group, so that its children end with it. A signal to
 * this process, or its exit for any reason, ends the groups.
 */
const owned = new Set<ChildProcess>();
let listening = false;
let ending = false;

const usesGroups = process.platform !== 'win32';

function signalTree(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (usesGroups) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch (error) {
    // ESRCH: the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function listen(): void {
  if (listening) return;
  listening = true;
  process.once('exit', () => {
    for (const child of owned) signalTree(child, 'SIGKILL');
  });
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => {
      ending = true;
      void Promise.all([...owned].map((child) => endProcess(child))).finally(() => process.exit(128 + number));
    });
  }
}

/** Whether this process is being terminated by a signal, so that exiting children aren't errors. */
export const isEnding = (): boolean => ending;

/** Starts a process that ends with this one at the latest. */
export function spawnOwned(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  listen();
  const child = spawn(command, args, { ...options, detached: usesGroups });
  owned.add(child);
  child.once('exit', () => {
    // Grandchildren may outlive the leader of the group.
    signalTree(child, 'SIGTERM');
    owned.delete(child);
  });
  child.once('error', () => owned.delete(child));
  return child;
}

/** Terminates a process and its children: with SIGTERM and, after three seconds, with SIGKILL. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signalTree(child, 'SIGTERM');
  const timer = setTimeout(() => signalTree(child, 'SIGKILL'), 3000);
  await exited;
  clearTimeout(timer);
}

export interface CommandResult {
  /** The exit code; 1 if the process was ended by a signal. */
  readonly code: number;
  /** Standard output and standard error in order of arrival; empty with the option `show`. */
  readonly output: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Prints the output immediately instead of collecting it. */
  readonly show?: boolean;
}

/** Runs a command until it ends. Only rejects if it can't be started. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawnOwned(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: options.show === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a JavaScript or TypeScript program with the current Node.js executable. */
export function runNode(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runCommand(process.execPath, args, options);
}
