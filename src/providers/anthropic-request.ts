import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatRequest } from '../app/ports.ts';
import { isStrictSchema } from './strict-schema.ts';
import type { Extra } from './tolerance.ts';
import { inputObject, toTurns } from './turns.ts';
import type { ResultBlock, Turn } from './turns.ts';

/**
 * Marks of the prompt cache on system blocks; with the one in the conversation they make the four that a request may
 * carry. Source: Anthropic's guide to prompt caching, "Explicit cache breakpoints".
 */
const SYSTEM_MARKS = 3;
const MARK = { type: 'ephemeral' } as const;

/** The media types that the API takes. */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/** What is counted and what is sent alike. */
export interface AnthropicPrompt {
  readonly system?: TextBlockParam[];
  readonly messages: MessageParam[];
  readonly tools?: Tool[];
  readonly tool_choice?: { readonly type: 'none' };
}

/** The parts of a request that some models refuse. */
export function anthropicExtras(request: ChatRequest): readonly Extra[] {
  return [
    ...(request.effort === undefined ? [] : (['effort'] as const)),
    ...(isHeldTo(request.jsonSchema) ? (['schema'] as const) : []),
  ];
}

/**
 * The body of a Messages request. No temperature: since version 2026-10-21 the API refuses it for every model
 * (platform.claude.com/docs/en/api/versioning).
 */
export function anthropicBody(
  model: string,
  request: ChatRequest,
  without: ReadonlySet<Extra>,
): MessageCreateParamsStreaming {
  const { maxOutputTokens, reasoningTokens = 0, jsonSchema } = request;
  const effort = without.has('effort') ? undefined : request.effort;
  const output: OutputConfig = {
    ...(effort === undefined || effort === 'none' ? {} : { effort: effort === 'minimal' ? 'low' : effort }),
    ...(isHeldTo(jsonSchema) && !without.has('schema')
      ? { format: { type: 'json_schema', schema: { ...jsonSchema.schema } } }
      : {}),
  };
  return {
    model,
    stream: true,
    max_tokens: maxOutputTokens + reasoningTokens,
    ...anthropicPrompt(request),
    ...(effort === 'none' ? { thinking: { type: 'disabled' } } : {}),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
  };
}

/** The API knows no schema as a mere hint: one that it cannot hold the model to is left to the prompt. */
function isHeldTo(schema: ChatRequest['jsonSchema']): schema is NonNullable<ChatRequest['jsonSchema']> {
  return schema !== undefined && isStrictSchema(schema.schema);
}

/**
 * System blocks, messages, and the tools that the history speaks of: the API refuses a history with tool calls unless
 * tools are declared, so they are, and none may be called.
 */
export function anthropicPrompt(request: ChatRequest): AnthropicPrompt {
  const turns = toTurns(request.messages);
  const system = systemBlocks(request.system);
  const names = new Set(
    turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls.map((each) => each.name) : [])),
  );
  return {
    ...(system.length === 0 ? {} : { system }),
    messages: markedMessages(turns),
    ...(names.size === 0
      ? {}
      : {
          tools: [...names].sort().map((name): Tool => ({
            name,
            description: 'A tool used earlier in this conversation; it is not available now.',
            input_schema: { type: 'object' },
          })),
          tool_choice: { type: 'none' },
        }),
  };
}

/** The last blocks are marked each for itself, so that a change in one leaves the cache of those before it. */
function systemBlocks(system: readonly string[]): TextBlockParam[] {
  const texts = system.filter((text) => text.trim() !== '');
  return texts.map((text, index) => ({
    type: 'text',
    text,
    ...(index >= texts.length - SYSTEM_MARKS ? { cache_control: MARK } : {}),
  }));
}

/**
 * The mark stands before the newest user turn, since that turn carries what is sent once only (task, recalled
 * excerpts). The next request has the same prefix up to there, finds it within the 20 blocks that the API looks back,
 * and pays in full for the one new exchange alone.
 */
function markedMessages(turns: readonly Turn[]): MessageParam[] {
  return turns.map((turn, index): MessageParam => {
    const content = turn.role === 'user' ? userContent(turn) : assistantContent(turn);
    const last = content.at(-1);
    if (index === turns.length - 2 && last !== undefined && (last.type === 'text' || last.type === 'tool_use')) {
      content[content.length - 1] = { ...last, cache_control: MARK };
    }
    return { role: turn.role, content };
  });
}

function assistantContent(turn: Extract<Turn, { role: 'assistant' }>): ContentBlockParam[] {
  const text: ContentBlockParam[] = turn.text === '' ? [] : [{ type: 'text', text: turn.text.trimEnd() }];
  return [
    ...text,
    ...turn.calls.map((each): ContentBlockParam => ({
      type: 'tool_use',
      id: each.callId,
      name: each.name,
      input: inputObject(each.json),
    })),
  ];
}

function userContent(turn: Extract<Turn, { role: 'user' }>): ContentBlockParam[] {
  return [
    ...turn.results.map(resultBlock),
    ...turn.parts.map((part): ContentBlockParam => {
      if (part.type === 'text') return { type: 'text', text: part.text };
      const mediaType = IMAGE_TYPES.find((type) => type === part.mediaType);
      if (mediaType === undefined) return { type: 'text', text: `[image of type ${part.mediaType}]` };
      return { type: 'image', source: { type: 'base64', media_type: mediaType, data: part.base64 } };
    }),
  ];
}

function resultBlock(result: ResultBlock): ContentBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    content: result.text.trim() === '' ? '(no output)' : result.text,
    ...(result.isError ? { is_error: true } : {}),
  };
}
