import type { ChatMessage } from '../app/ports.ts';
import type { ContentBlock, Usage } from '../core/model/message.ts';
import { isObject, tryParse } from '../core/text/json-value.ts';

type TextBlock = Extract<ContentBlock, { type: 'text' }>;
type ImageBlock = Extract<ContentBlock, { type: 'image' }>;
export type CallBlock = Extract<ContentBlock, { type: 'tool_call' }>;
export type ResultBlock = Extract<ContentBlock, { type: 'tool_result' }>;

export interface UserTurn {
  readonly role: 'user';
  /** One result for each call of the previous turn. */
  readonly results: readonly ResultBlock[];
  readonly parts: readonly (TextBlock | ImageBlock)[];
  /** Text after the parts, in this request only. */
  readonly turnOnly?: string;
}

export interface AssistantTurn {
  readonly role: 'assistant';
  readonly text: string;
  readonly calls: readonly CallBlock[];
}

export type Turn = UserTurn | AssistantTurn;

/** Sent if the last message is a truncated reply, because the user continues it without writing anything. */
const CONTINUE_PROMPT = 'Continue exactly where you stopped.';
/** The recent messages may begin with a reply, but strict servers require a user message first. */
const EARLIER_NOTE = '(The conversation continues from an earlier point.)';

interface Draft {
  readonly role: 'user' | 'assistant';
  readonly blocks: ContentBlock[];
  turnOnly?: string;
}

/**
 * Converts messages to the form that the strictest provider requires, and which the others accept: a user message first
 * and last, alternating roles, each tool call directly followed by its result, and IDs and names with characters that
 * all accept. A call without a result, or a result without a call, becomes text. Empty blocks are removed, because
 * servers reject them. `callsAsText`: all calls and results become text.
 */
export function toTurns(messages: readonly ChatMessage[], callsAsText = false): readonly Turn[] {
  const drafts = merge(messages);
  const usedIds = new Set<string>();
  const pairs = drafts.map(({ blocks }, at) =>
    callsAsText ? [] : pairUp(blocks, drafts[at + 1]?.blocks ?? [], usedIds),
  );
  const turns = drafts.map((draft, at): Turn =>
    draft.role === 'user' ? userTurn(draft, pairs[at - 1] ?? []) : assistantTurn(draft.blocks, pairs[at]!),
  );
  if (turns[0]?.role === 'assistant') turns.unshift(userText(EARLIER_NOTE));
  if (turns.at(-1)?.role !== 'user') turns.push(userText(CONTINUE_PROMPT));
  return turns;
}

/**
 * The blocks of the system prompt as parts. The last `count` have the cache breakpoint `mark`, if there is one, so that a
 * change to one keeps the cache of those before it.
 */
export const systemParts = <Type extends string>(
  system: readonly string[],
  type: Type,
  mark: object | undefined,
  count: number,
): { type: Type; text: string }[] =>
  system
    .filter((text) => text.trim() !== '')
    .map((text, at, all) => ({ type, text, ...(at >= all.length - count && mark) }));

/** Description of a tool in the history, for providers that require one. */
export const PAST_TOOL = 'A tool used earlier in this conversation; it is not available now.';

export const toolNames = (turns: readonly Turn[]): readonly string[] =>
  [...new Set(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls.map(({ name }) => name) : [])))].sort();

/** The texts of a user turn as one string, for servers that don't accept lists of parts. */
export function userTurnText(turn: UserTurn): string {
  const texts = turn.parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  return [...texts, ...(turn.turnOnly === undefined ? [] : [turn.turnOnly])].join(SEPARATOR);
}

/** A tool call's input as an object, which Anthropic requires; other values are wrapped in one. */
export function inputObject(json: string): Readonly<Record<string, unknown>> {
  const value = tryParse(json);
  return isObject(value) ? value : { input: value === undefined ? json : value };
}

/** A tool call's input as JSON text of an object, which vLLM, SGLang, and llama.cpp require. */
export const inputJson = (json: string): string =>
  isObject(tryParse(json)) ? json : JSON.stringify(inputObject(json));

/** A provider's usage report; missing figures and zeros are omitted. */
export function usageFrom(
  input: number,
  output: unknown,
  parts: Readonly<Partial<Record<Exclude<keyof Usage, 'input' | 'output'>, unknown>>> = {},
): Usage {
  const known = Object.entries(parts).filter(([, tokens]) => typeof tokens === 'number' && tokens > 0);
  return { input, output: typeof output === 'number' ? output : 0, ...Object.fromEntries(known) };
}

/** Separates texts of different messages: a blank line, as between paragraphs. */
const SEPARATOR = '\n\n';

interface Pair {
  readonly call: CallBlock;
  readonly result: ResultBlock;
  readonly id: string;
}

function pairUp(blocks: readonly ContentBlock[], next: readonly ContentBlock[], usedIds: Set<string>): readonly Pair[] {
  const open = next.filter((block) => block.type === 'tool_result');
  const pairs: Pair[] = [];
  for (const call of blocks) {
    if (call.type !== 'tool_call') continue;
    const found = open.findIndex((result) => result.callId === call.callId);
    const result = open[found];
    if (result === undefined) continue;
    open.splice(found, 1);
    pairs.push({ call, result, id: freshId(call.callId, usedIds) });
  }
  return pairs;
}

function assistantTurn(blocks: readonly ContentBlock[], pairs: readonly Pair[]): AssistantTurn {
  const byCall = new Map(pairs.map((each) => [each.call, each]));
  const texts: string[] = [];
  const calls: CallBlock[] = [];
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'image') texts.push('[image]');
    else if (block.type === 'tool_call') {
      const known = byCall.get(block);
      if (known === undefined) texts.push(`[call of ${block.name}: ${block.json}]`);
      else calls.push({ ...block, callId: known.id, name: wireName(block.name) });
    }
  }
  return { role: 'assistant', text: texts.join(SEPARATOR), calls };
}

function userTurn({ blocks, turnOnly }: Draft, pairs: readonly Pair[]): UserTurn {
  const results = pairs.map(({ result, id }) => ({ ...result, callId: id }));
  const paired = new Set<ContentBlock>(pairs.map(({ result }) => result));
  const parts: (TextBlock | ImageBlock)[] = [];
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'image') parts.push(block);
    else if (block.type === 'tool_result' && !paired.has(block)) {
      parts.push({ type: 'text', text: `[result of a call: ${block.text}]` });
    }
  }
  return { role: 'user', results, parts, ...(turnOnly !== undefined && { turnOnly }) };
}

function userText(text: string): UserTurn {
  return { role: 'user', results: [], parts: [{ type: 'text', text }] };
}

/** Merges adjacent messages with the same role. Tool calls count as the assistant's, tool results as the user's. */
function merge(messages: readonly ChatMessage[]): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() === '') continue;
      const role = roleOf(block, message.role);
      const last = drafts.at(-1);
      if (last?.role === role) last.blocks.push(block);
      else drafts.push({ role, blocks: [block] });
    }
    if (message.turnOnly === undefined) continue;
    const last = drafts.at(-1);
    if (last?.role === 'user') last.turnOnly = message.turnOnly;
    else drafts.push({ role: 'user', blocks: [], turnOnly: message.turnOnly });
  }
  return drafts;
}

function roleOf(block: ContentBlock, role: ChatMessage['role']): Draft['role'] {
  if (block.type === 'tool_result') return 'user';
  if (block.type === 'tool_call') return 'assistant';
  return role === 'assistant' ? 'assistant' : 'user';
}

/** A name of a tool with only characters, and of a length, that OpenAI and Anthropic accept. */
const wireName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'tool';

function freshId(callId: string, used: Set<string>): string {
  const base = callId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 56) || 'call';
  let id = base;
  for (let suffix = 2; used.has(id); suffix += 1) id = `${base}_${suffix}`;
  used.add(id);
  return id;
}
