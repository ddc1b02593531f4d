import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import { chooseLevels, tokensAt, type LevelChoice } from '../../../src/core/compress/choose-levels.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { CallLog, type SummaryModel, type SummaryRequest } from '../../../src/core/compress/summary-model.ts';
import {
  summarizeRuns,
  type Run,
  type SummarizeSettings,
  type SummarizeTools,
} from '../../../src/core/compress/summarize.ts';
import { mergeOld } from '../../../src/core/compress/tree.ts';
import { messageId, nodeId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { summaryPrompt } from '../../../src/core/prompts/render-prompts.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { loadEncoding, type TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { jsonLines } from '../../support/test-data.ts';

export const counter: TokenCounter = await loadEncoding('o200k_base');

/** Never yields. */
export const pace = new CancellableYielder();

export function message(at: number, role: Role, text: string): SourceMessage {
  return { id: messageId(`m${at}`), role, content: [{ type: 'text', text }] };
}

export function transcript(...pairs: readonly (readonly [Role, string])[]): SourceMessage[] {
  return pairs.map(([role, text], at) => message(at, role, text));
}

/** Tools with sequential IDs and a fixed time. */
export function tools(more: Partial<SummarizeTools> = {}): SummarizeTools {
  let made = 0;
  return {
    counter,
    pace,
    nextId: () => nodeId(`n${++made}`),
    now: () => 1_000,
    calls: new CallLog(),
    ...more,
  };
}

export const SETTINGS: SummarizeSettings = {
  roomTokens: 20_000,
  ceilingTokens: 50_000,
  prompt: summaryPrompt('developer'),
  temperature: 0.3,
  maxTokens: 2_000,
  effort: 'default',
  concurrency: 24,
  extractiveOnFault: false,
};

export const tokensWith = (frontier: readonly SummaryNode[], levels: readonly LevelChoice[]): number =>
  frontier.reduce((sum, node, at) => sum + tokensAt(node, levels[at]!.level), 0);

/** A session's summaries after another compression. */
export interface GrownTree {
  readonly leaves: readonly SummaryNode[];
  readonly nodes: readonly SummaryNode[];
  readonly frontier: readonly SummaryNode[];
  readonly levels: readonly LevelChoice[];
  readonly tokens: number;
  readonly covered: number;
  readonly calls: CallLog;
  readonly fault?: unknown;
}

/** Summarizes messages after a frontier, and merges nodes that don't fit, like a compression. */
export async function grow(
  {
    frontier = [],
    known = [],
    ...run
  }: Pick<Run, 'messages'> &
    Partial<Run> & { readonly frontier?: readonly SummaryNode[]; readonly known?: readonly SummaryNode[] },
  settings: Partial<SummarizeSettings> & { readonly frontierTokens?: number } = {},
  own: SummarizeTools = tools(),
): Promise<GrownTree> {
  const tokens = run.messages.map((message) => counter.message(message));
  const { frontierTokens = 20_000, ...rest } = settings;
  const { leaves: made, fault } = await summarizeRuns([{ tokens, ...run }], { ...SETTINGS, ...rest }, own);
  const leaves = made[0]!;
  const all = [...frontier, ...leaves];
  const byId = new Map([...known, ...all].map((node) => [node.id, node]));
  const merged = await mergeOld(all, frontierTokens, 1, byId, own);
  const levels = chooseLevels(merged, frontierTokens);
  return {
    leaves,
    nodes: [...leaves, ...merged.filter(({ id }) => !byId.has(id))],
    frontier: merged,
    levels,
    tokens: tokensWith(merged, levels),
    covered: leaves.reduce((sum, { messages }) => sum + messages, 0),
    calls: own.calls,
    ...(fault !== undefined && { fault }),
  };
}

/** A model with scripted answers that records its requests. */
export interface ScriptedModel extends SummaryModel {
  readonly requests: SummaryRequest[];
}

export function scriptedModel(
  answer: (request: SummaryRequest, call: number) => string | Promise<string>,
  maxInputTokens = 100_000,
): ScriptedModel {
  const requests: SummaryRequest[] = [];
  return {
    id: 'scripted/model',
    maxInputTokens,
    maxConcurrency: 4,
    requests,
    async complete(request) {
      requests.push(request);
      return { text: await answer(request, requests.length) };
    },
  };
}

export function goodAnswer(narrative: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ narrative, ...more });
}

/** A chat about the care of a relative, in German. */
export const CARE_CHAT = transcript(
  ...jsonLines<{ readonly role: Role; readonly content: string }>(
    new URL('../../fixtures/short-chats/care-de.jsonl', import.meta.url),
  ).map(({ role, content }) => [role, content] as const),
);

/** A developer session with conversation, longer tool output, and files. Deterministic. */
export function developerSession(turns: number, outputLines = 60): SourceMessage[] {
  const pairs: [Role, string][] = [];
  for (let turn = 0; turn < turns; turn++) {
    pairs.push([
      'user',
      `Please add retry number ${turn} to src/client/http${turn}.ts, we agreed on a limit of ${turn + 3} attempts.`,
    ]);
    pairs.push([
      'assistant',
      `I will read src/client/http${turn}.ts first and look at how sendRequest${turn} handles failures.`,
    ]);
    const lines = Array.from(
      { length: outputLines },
      (_, line) => `  ${line}→ const value${line} = compute(${line}, ${turn});`,
    );
    pairs.push([
      'tool',
      [
        '```ts',
        `export function sendRequest${turn}(url: string) {`,
        ...lines,
        '}',
        '```',
        `Error: connect ECONNREFUSED 10.0.0.${turn % 250}:8080`,
      ].join('\n'),
    ]);
    pairs.push([
      'assistant',
      `The cause is the missing backoff in sendRequest${turn}. I added it, and 12 tests pass now.`,
    ]);
  }
  return transcript(...pairs);
}
