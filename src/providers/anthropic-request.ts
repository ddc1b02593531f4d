import type {
  CacheControlEphemeral,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatRequest } from '../app/ports.ts';
import { CACHE_LIFETIME_MS, type OptionalPart } from './request-fallback.ts';
import {
  inputObject,
  PAST_TOOL,
  systemParts,
  toolNames,
  toTurns,
  type AssistantTurn,
  type ResultBlock,
  type Turn,
  type UserTurn,
} from './strict-turns.ts';

/**
 * Maximum number of cache breakpoints on system blocks. With the one in the conversation, these are the four that a
 * request may have. Source: Anthropic's guide to prompt caching, "Explicit cache breakpoints".
 */
const SYSTEM_BREAKPOINTS = 3;

/**
 * A cache breakpoint. Its lifetime is five minutes, or an hour if the pauses between requests are longer, because an
 * expired prefix must be written again as a whole. Writing costs 1.25 times the price of input for five minutes, and
 * twice the price for an hour.
 */
export function anthropicBreakpoint(
  { cache }: ChatRequest,
  without: ReadonlySet<OptionalPart>,
): CacheControlEphemeral | undefined {
  if (cache === undefined || without.has('cache')) return undefined;
  return {
    type: 'ephemeral',
    ...(cache.idleMs > CACHE_LIFETIME_MS && !without.has('cache_lifetime') && { ttl: '1h' }),
  };
}

type UserBlock = TextBlockParam | ImageBlockParam | ToolResultBlockParam;

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/**
 * The body of a Messages request. Without a temperature, which the API rejects for all models since version 2026-10-21
 * (platform.claude.com/docs/en/api/versioning).
 */
export function anthropicBody(
  model: string,
  request: ChatRequest,
  without: ReadonlySet<OptionalPart>,
): MessageCreateParamsStreaming {
  const { maxOutputTokens, reasoningTokens = 0, jsonSchema } = request;
  const effort = without.has('effort') ? undefined : request.effort;
  const output: OutputConfig = {
    ...(effort === undefined || effort === 'none' ? {} : { effort: effort === 'minimal' ? 'low' : effort }),
    ...(jsonSchema && !without.has('schema')
      ? { format: { type: 'json_schema', schema: { ...jsonSchema.schema } } }
      : {}),
  };
  return {
    model,
    stream: true,
    max_tokens: maxOutputTokens + reasoningTokens,
    ...anthropicPrompt(request, without),
    ...(effort === 'none' ? { thinking: { type: 'disabled' } } : {}),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
  };
}

/**
 * The part of a request that is the same for counting its tokens and for sending it. The API rejects tool calls in the
 * history without their tools; `tool_choice` keeps the model from calling them.
 */
export function anthropicPrompt(request: ChatRequest, without: ReadonlySet<OptionalPart> = new Set()) {
  const turns = toTurns(request.messages, without.has('calls'));
  const mark = anthropicBreakpoint(request, without);
  const system = systemParts(request.system, 'text', mark && { cache_control: mark }, SYSTEM_BREAKPOINTS);
  const names = toolNames(turns);
  return {
    ...(system.length > 0 && { system }),
    messages: markedMessages(turns, mark),
    ...(names.length > 0 && {
      tools: names.map((name): Tool => ({ name, description: PAST_TOOL, input_schema: { type: 'object' } })),
      tool_choice: { type: 'none' as const },
    }),
  };
}

/**
 * Puts a breakpoint at the end of the newest user message, before text that is only part of this request. The API looks
 * back 20 blocks for a cached prefix, so the next request finds this one and only adds its new blocks to the cache.
 */
function markedMessages(turns: readonly Turn[], mark: CacheControlEphemeral | undefined): MessageParam[] {
  return turns.map((turn, index): MessageParam => {
    if (turn.role === 'assistant') return { role: turn.role, content: assistantContent(turn) };
    const content = userContent(turn);
    const last = content.at(-1);
    if (mark && index === turns.length - 1 && last !== undefined)
      content[content.length - 1] = { ...last, cache_control: mark };
    if (turn.turnOnly !== undefined) content.push({ type: 'text', text: turn.turnOnly });
    return { role: turn.role, content };
  });
}

function assistantContent({ text, calls }: AssistantTurn): ContentBlockParam[] {
  const parts: ContentBlockParam[] = text === '' ? [] : [{ type: 'text', text: text.trimEnd() }];
  for (const { callId, name, json } of calls)
    parts.push({ type: 'tool_use', id: callId, name, input: inputObject(json) });
  return parts;
}

function userContent(turn: UserTurn): UserBlock[] {
  return [
    ...turn.results.map(resultBlock),
    ...turn.parts.map((part): UserBlock => {
      if (part.type === 'text') return { type: 'text', text: part.text };
      const mediaType = IMAGE_TYPES.find((type) => type === part.mediaType);
      if (mediaType === undefined) return { type: 'text', text: `[image of type ${part.mediaType}]` };
      return { type: 'image', source: { type: 'base64', media_type: mediaType, data: part.base64 } };
    }),
  ];
}

function resultBlock(result: ResultBlock): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    content: result.text.trim() === '' ? '(no output)' : result.text,
    ...(result.isError ? { is_error: true } : {}),
  };
}
