import type { ContentBlock } from '../model/message.ts';
import { isList, isObject, textAt, tryParse, type JsonObject } from './json-value.ts';

/** The effect of a tool call: it read or changed a file, or ran a command. */
export interface ToolEffect {
  readonly kind: 'read' | 'edit' | 'run';
  /** The path as given in the call, or the command. */
  readonly what: string;
  /** Whether it succeeded; undefined if unknown. */
  readonly ok?: boolean;
}

const PATH_ARGUMENTS = [
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'target_file',
  'relative_workspace_path',
  'notebook_path',
  'path',
  'file',
  'filename',
];
const COMMAND_ARGUMENTS = ['command', 'cmd', 'script'];
const EDIT_NAMES = /edit|write|create|replace|patch|insert|delete|remove|update|save|rename|move|append/i;
const PATCHED_PATHS = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const SHELL = /^(?:\/\S*\/)?(?:ba|z|da)?sh$|^(?:pwsh|powershell|cmd)(?:\.exe)?$/;
/** The exit status in a command's output. */
const EXIT_STATUS = /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?"?\s*[:=]?\s*(\d{1,3})\b/i;
/** Number of UTF-16 units at the output's beginning and end that are searched for the exit status. */
const STATUS_UNITS = 400;
/** Longer commands usually contain a file's text and are truncated. */
const MAX_COMMAND_UNITS = 2_000;

/**
 * The effects of a message's tool calls, and whether the calls whose results it contains succeeded, by their IDs.
 * Results without an ID are excluded.
 */
export function toolEffectsOf(blocks: readonly ContentBlock[]) {
  const effects: (ToolEffect & { readonly callId: string })[] = [];
  const results = new Map<string, boolean>();
  for (const block of blocks) {
    if (block.type === 'tool_call') {
      for (const effect of effectsOfCall(block.name, block.json)) effects.push({ ...effect, callId: block.callId });
    } else if (block.type === 'tool_result' && block.callId !== '')
      results.set(block.callId, !block.isError && hasSucceeded(block.text));
  }
  return { effects, results };
}

export function effectsOfCall(name: string, json: string): ToolEffect[] {
  const value = tryParse(json);
  const args = isObject(value) ? value : {};
  const command = commandIn(args);
  const patchCommand = command?.startsWith('apply_patch') ? command : undefined;
  const input = json.startsWith('***') ? json : textAt(args['input'] ?? args['patch']);
  const patch = textAt(value) ?? input ?? patchCommand;
  const patched = [...(patch ?? '').matchAll(PATCHED_PATHS)].map(([, path = '']) => path.trim());
  if (patched.length > 0) return patched.map((what) => ({ kind: 'edit', what }));
  const paths = pathsIn(args);
  if (paths.length > 0) {
    // Some tools view or change a file, depending on the argument `command`.
    const kind = EDIT_NAMES.test(textAt(args, 'command') ?? name) ? 'edit' : 'read';
    return paths.map((what) => ({ kind, what }));
  }
  return command === undefined ? [] : [{ kind: 'run', what: command.slice(0, MAX_COMMAND_UNITS) }];
}

function pathsIn(args: JsonObject): string[] {
  const first = PATH_ARGUMENTS.map((name) => textAt(args, name)).find((path) => path !== undefined && path !== '');
  const files = ['files', 'paths', 'edits'].flatMap((name) => (isList(args[name]) ? args[name] : []));
  const listed = files.flatMap((one) => (typeof one === 'string' ? [one] : isObject(one) ? pathsIn(one) : []));
  return [...new Set(first === undefined ? listed : [first, ...listed])];
}

function commandIn(args: JsonObject): string | undefined {
  for (const name of COMMAND_ARGUMENTS) {
    const value = args[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (!isList(value) || !value.every((part) => typeof part === 'string') || value.length === 0) continue;
    const isWrapped = value.length > 2 && SHELL.test(value[0]!) && /^[-/]/.test(value[1]!);
    return isWrapped ? value.slice(2).join(' ') : value.join(' ');
  }
  return undefined;
}

function hasSucceeded(text: string): boolean {
  const [, first] = EXIT_STATUS.exec(text.slice(0, STATUS_UNITS)) ?? [];
  const [, last] = EXIT_STATUS.exec(text.slice(-STATUS_UNITS)) ?? [];
  return (first ?? last ?? '0') === '0';
}
