import type { ContentBlock } from '../model/message.ts';
import type { ListedStep } from '../model/task-list.ts';
import { isList, isObject, textAt, tryParse, type JsonObject } from '../text/json-value.ts';

/** The steps that a coding agent planned with tool calls, and the index of the message that changed them last. */
export interface PlannedSteps {
  readonly steps: readonly ListedStep[];
  readonly message: number;
}

const DONE = /^(?:completed|done|cancell?ed)$/;
const CURRENT = /^in[_-]progress$/;

/** The newest plan; undefined if there is none. */
export function plannedSteps(
  messages: readonly { readonly content: readonly ContentBlock[] }[],
): PlannedSteps | undefined {
  let steps = new Map<string, ListedStep>();
  let changedBy: number | undefined;
  /** The tool that last wrote the whole list. */
  let planner = '';
  for (const [message, { content }] of messages.entries()) {
    for (const block of content) {
      if (block.type !== 'tool_call') continue;
      const args = tryParse(block.json);
      const written = writtenSteps(args, block.name === planner);
      const changed = written ?? changedSteps(steps, block.name, args);
      if (!changed) continue;
      if (written) planner = block.name;
      steps = changed;
      changedBy = message;
    }
  }
  return changedBy === undefined ? undefined : { steps: [...steps.values()], message: changedBy };
}

/** The steps by ID after a call that adds or changes one; undefined if it's another call. */
function changedSteps(steps: ReadonlyMap<string, ListedStep>, name: string, args: unknown) {
  if (!isObject(args)) return undefined;
  const withStep = (id: string, step: ListedStep | undefined) => step && new Map([...steps, [id, step]]);
  // Claude Code numbers its tasks from 1.
  if (name === 'TaskCreate') return withStep(String(steps.size + 1), stepOf(args, 'pending'));
  if (name === 'TaskUpdate') {
    const id = textAt(args, 'taskId') ?? '';
    const known = steps.get(id);
    const status = textAt(args, 'status');
    if (!known || status === undefined) return undefined;
    return withStep(id, stepOf({ subject: known.text, ...args }, status === 'deleted' ? 'done' : status));
  }
  return undefined;
}

/** The steps by ID after a call that writes the whole list; undefined if it's another call. */
function writtenSteps(args: unknown, mayBeEmpty: boolean): Map<string, ListedStep> | undefined {
  if (!isObject(args)) return undefined;
  const lists = Object.values(args).filter(isList);
  for (const list of lists.filter(({ length }) => length > 0)) {
    const listed = list.map((item) => (isObject(item) ? stepOf(item, textAt(item, 'status')) : undefined));
    if (listed.every((step) => step !== undefined)) return new Map(listed.map((step, at) => [String(at + 1), step]));
  }
  // VS Code's and Mistral's tools can also read the list, and then often have an empty list as an argument.
  const isRead = (textAt(args, 'operation') ?? textAt(args, 'action')) === 'read';
  return mayBeEmpty && !isRead && lists.some(({ length }) => length === 0) ? new Map() : undefined;
}

function stepOf(item: JsonObject, status: string | undefined): ListedStep | undefined {
  const names = ['content', 'step', 'subject', 'title', 'description', 'text'];
  const text = names.map((name) => textAt(item, name)?.trim()).find((one) => one !== undefined && one !== '');
  if (text === undefined || status === undefined) return undefined;
  return { text, done: DONE.test(status), ...(CURRENT.test(status) && { isCurrent: true }) };
}
