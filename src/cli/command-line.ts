import { parseArgs } from 'node:util';
import { withoutTerminalCodes } from '../core/text/terminal-codes.ts';
import { errorLine, type Output } from './output.ts';
import { PaidCalls } from './paid-calls.ts';
import { UsageError, type Command, type Invocation } from './command.ts';

/** Commands are loaded on demand, so that `count` doesn't load the modules of `compress`. */
const COMMANDS: Readonly<
  Record<string, { readonly about: string; readonly load: () => Promise<{ command: Command }> }>
> = {
  import: { about: 'print a transcript as JSONL, one message per line', load: () => import('./import.ts') },
  count: { about: 'count messages and tokens', load: () => import('./count.ts') },
  events: { about: 'list key events: decisions, errors, preferences, …', load: () => import('./events.ts') },
  compress: { about: 'compress a transcript to a token limit', load: () => import('./compress.ts') },
  levels: { about: 'summarize at three levels of detail', load: () => import('./levels.ts') },
  recall: { about: 'search a transcript', load: () => import('./recall.ts') },
  audit: { about: 'check a summary against its transcript', load: () => import('./audit.ts') },
  sources: { about: 'list the chats from other tools on this machine', load: () => import('./sources.ts') },
  search: { about: 'search the chats from other tools', load: () => import('./search.ts') },
  handoff: { about: 'print a briefing for another tool', load: () => import('./handoff.ts') },
  mcp: { about: 'start an MCP server that searches the chats', load: () => import('./mcp.ts') },
  verify: { about: 'check a session journal', load: () => import('./verify.ts') },
};

const HELP = `Usage: threadkeeper COMMAND [FILE] [options]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(9)}${about}`)
  .join('\n')}

--json prints a single JSON object to standard output. Without it, import prints JSONL, and
the other commands print text. Message indices are 0-based; "from" and "to" are inclusive,
"end" offsets are exclusive. Token counts include message framing. For help with a command,
run threadkeeper COMMAND --help. For the version, run threadkeeper --version.

Exit codes: 0 success, 1 journal damaged or newer (verify), 2 any other error.
`;

/** Runs a command and resolves to its exit code. Never throws. */
export async function runCommandLine(args: readonly string[], output: Output, env: Invocation['env']): Promise<number> {
  const paid = new PaidCalls();
  try {
    return await run(args, { output, env, paid });
  } catch (error) {
    await output.note(`threadkeeper: ${errorLine(error)} ${paid.describe()}`.trimEnd());
    return 2;
  }
}

async function run(args: readonly string[], context: Pick<Invocation, 'output' | 'env' | 'paid'>): Promise<number> {
  const { output } = context;
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await output.write(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    await output.write(`${process.env.THREADKEEPER_VERSION ?? 'unknown'}\n`);
    return 0;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw new UsageError(`Unknown command “${name}”. Commands: ${Object.keys(COMMANDS).join(', ')}.`);
  const { command } = await entry.load();
  const { values, positionals } = parseArgs({
    args: withNegativeNumbers(rest, command.options),
    allowPositionals: true,
    options: { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values['help'] === true) {
    await output.write(command.help);
    return 0;
  }
  const [file, ...more] = positionals;
  if (command.isWithoutFile === true) {
    if (file !== undefined) throw new UsageError(`${name} doesn’t take a file.`);
  } else if (file === undefined)
    throw new UsageError(`${name} requires a file. For help, run threadkeeper ${name} --help.`);
  if (more.length > 0) throw new UsageError(`${name} takes one file, but got ${positionals.length}.`);
  const json = values['json'] === true;
  const result = await command.run({ ...context, file: file ?? '', options: values, json });
  if (!result) return 0;
  if (json) await output.write(`${JSON.stringify(result.json)}\n`);
  else {
    await output.write(withoutTerminalCodes(result.text));
    for (const note of result.notes ?? []) await output.note(withoutTerminalCodes(note));
  }
  return result.exitCode ?? 0;
}

/** Joins options with negative numbers, which `parseArgs` rejects as ambiguous, so that commands can explain them. */
function withNegativeNumbers(args: readonly string[], options: Command['options']): string[] {
  const isNumberOf = (option: string | undefined, value: string | undefined): boolean =>
    option?.startsWith('--') === true && options[option.slice(2)]?.type === 'string' && /^-\d/.test(value ?? '');
  return args.flatMap((arg, at) => {
    if (isNumberOf(args[at - 1], arg)) return [];
    return isNumberOf(arg, args[at + 1]) ? `${arg}=${args[at + 1]}` : arg;
  });
}
