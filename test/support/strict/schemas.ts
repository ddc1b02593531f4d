import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import * as v from 'valibot';

/**
 * The vendors' schemas for a chat client's requests. Objects are closed, because the vendors reject unknown names.
 * `satisfies` checks each schema against the SDK's type.
 */
const text = v.string();
const whole = v.pipe(v.number(), v.integer(), v.minValue(1));
const temperature = v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(2)));
const effort = v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
const breakpoint = v.optional(v.strictObject({ mode: v.literal('explicit') }));
const cacheOptions = v.optional(
  v.strictObject({ mode: v.optional(v.picklist(['implicit', 'explicit'])), ttl: v.optional(v.literal('30m')) }),
);
const jsonSchema = v.record(v.string(), v.unknown());
const functionName = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/));
const callId = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const dataUrl = v.pipe(v.string(), v.regex(/^(?:https:|data:image\/(?:jpeg|png|gif|webp);base64,)/));

const typed = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.strictObject({ type: v.literal(type), ...entries });
const nonEmpty = <S extends v.GenericSchema>(schema: S) => v.pipe(v.array(schema), v.minLength(1));

const inputText = typed('input_text', { text, prompt_cache_breakpoint: breakpoint });
const inputImage = typed('input_image', {
  image_url: dataUrl,
  detail: v.picklist(['low', 'high', 'auto', 'original']),
});

export const responsesSchema = v.strictObject({
  model: text,
  stream: v.literal(true),
  store: v.optional(v.boolean()),
  instructions: v.optional(text),
  input: nonEmpty(
    v.union([
      v.strictObject({
        type: v.optional(v.literal('message')),
        role: v.picklist(['user', 'system', 'developer']),
        content: v.union([text, v.array(v.union([inputText, inputImage]))]),
      }),
      // Model output can only be text here, without a breakpoint.
      v.strictObject({ type: v.optional(v.literal('message')), role: v.literal('assistant'), content: text }),
      typed('function_call', { call_id: callId, name: functionName, arguments: text }),
      typed('function_call_output', { call_id: callId, output: text }),
    ]),
  ),
  max_output_tokens: v.optional(v.pipe(v.number(), v.integer(), v.minValue(16))),
  temperature,
  reasoning: v.optional(v.strictObject({ effort: v.optional(effort), summary: v.optional(v.picklist(['auto'])) })),
  prompt_cache_key: v.optional(v.pipe(text, v.maxLength(64))),
  prompt_cache_options: cacheOptions,
  text: v.optional(
    v.strictObject({
      format: typed('json_schema', { name: functionName, schema: jsonSchema, strict: v.boolean() }),
    }),
  ),
}) satisfies v.GenericSchema<unknown, ResponseCreateParamsStreaming>;

const anthropicMark = v.optional(typed('ephemeral', { ttl: v.optional(v.picklist(['5m', '1h'])) }));
const chatText = typed('text', {
  text,
  prompt_cache_breakpoint: breakpoint,
  // Specific to OpenRouter: openrouter.ai/docs/features/prompt-caching
  cache_control: anthropicMark,
});
const chatImage = typed('image_url', { image_url: v.strictObject({ url: dataUrl }) });

export const chatSchema = v.strictObject({
  model: text,
  stream: v.literal(true),
  messages: nonEmpty(
    v.variant('role', [
      v.strictObject({ role: v.picklist(['system', 'developer']), content: v.union([text, v.array(chatText)]) }),
      v.strictObject({ role: v.literal('user'), content: v.union([text, v.array(v.union([chatText, chatImage]))]) }),
      v.strictObject({
        role: v.literal('assistant'),
        content: v.optional(v.nullable(text)),
        tool_calls: v.optional(
          v.array(
            v.strictObject({
              id: callId,
              type: v.literal('function'),
              function: v.strictObject({ name: functionName, arguments: text }),
            }),
          ),
        ),
      }),
      v.strictObject({ role: v.literal('tool'), tool_call_id: callId, content: text }),
    ]),
  ),
  max_tokens: v.optional(whole),
  max_completion_tokens: v.optional(whole),
  temperature,
  reasoning_effort: v.optional(effort),
  prompt_cache_key: v.optional(text),
  prompt_cache_options: cacheOptions,
  store: v.optional(v.boolean()),
  stream_options: v.optional(v.strictObject({ include_usage: v.boolean() })),
  tools: v.optional(
    v.array(
      typed('function', {
        function: v.strictObject({ name: functionName, description: v.optional(text), parameters: jsonSchema }),
      }),
    ),
  ),
  tool_choice: v.optional(v.literal('none')),
  response_format: v.optional(
    typed('json_schema', {
      json_schema: v.strictObject({ name: functionName, schema: jsonSchema, strict: v.boolean() }),
    }),
  ),
}) satisfies v.GenericSchema<unknown, ChatCompletionCreateParamsStreaming>;

const nonEmptyText = v.pipe(text, v.regex(/\S/, 'text content blocks must be non-empty'));
const anthropicText = typed('text', { text: nonEmptyText, cache_control: anthropicMark });
const anthropicBlock = v.variant('type', [
  anthropicText,
  typed('image', {
    source: typed('base64', {
      media_type: v.picklist(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: text,
    }),
    cache_control: anthropicMark,
  }),
  typed('tool_use', {
    id: v.pipe(text, v.regex(/^[a-zA-Z0-9_-]+$/)),
    name: functionName,
    input: jsonSchema,
    cache_control: anthropicMark,
  }),
  typed('tool_result', {
    tool_use_id: v.pipe(text, v.regex(/^[a-zA-Z0-9_-]+$/)),
    content: nonEmptyText,
    is_error: v.optional(v.boolean()),
    cache_control: anthropicMark,
  }),
]);

export const messagesSchema = v.strictObject({
  model: text,
  stream: v.literal(true),
  max_tokens: whole,
  system: v.optional(v.array(anthropicText)),
  messages: nonEmpty(v.strictObject({ role: v.picklist(['user', 'assistant']), content: nonEmpty(anthropicBlock) })),
  thinking: v.optional(
    v.union([
      v.strictObject({ type: v.literal('disabled') }),
      v.strictObject({ type: v.literal('adaptive') }),
      typed('enabled', { budget_tokens: v.pipe(v.number(), v.minValue(1024)) }),
    ]),
  ),
  output_config: v.optional(
    v.strictObject({
      effort: v.optional(v.picklist(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: v.optional(typed('json_schema', { schema: jsonSchema })),
    }),
  ),
  tools: v.optional(
    v.array(
      v.strictObject({
        name: functionName,
        description: v.optional(text),
        input_schema: v.looseObject({ type: v.literal('object') }),
      }),
    ),
  ),
  tool_choice: v.optional(v.strictObject({ type: v.literal('none') })),
}) satisfies v.GenericSchema<unknown, MessageCreateParamsStreaming>;

/** Ollama's native endpoint (docs.ollama.com/api/chat). Its objects are open, because it ignores unknown names. */
export const ollamaSchema = v.object({
  model: text,
  stream: v.optional(v.boolean()),
  truncate: v.optional(v.boolean()),
  messages: v.array(
    v.object({
      role: v.picklist(['system', 'user', 'assistant', 'tool']),
      content: text,
      images: v.optional(v.array(text)),
      tool_calls: v.optional(v.array(v.object({ function: v.object({ name: text, arguments: jsonSchema }) }))),
    }),
  ),
  think: v.optional(v.union([v.boolean(), v.picklist(['low', 'medium', 'high'])])),
  format: v.optional(jsonSchema),
  options: v.optional(
    v.object({ num_ctx: v.optional(whole), num_predict: v.optional(v.number()), temperature: v.optional(v.number()) }),
  ),
});

/** The first problem that a schema finds, as a sentence. */
export function firstProblem(schema: v.GenericSchema, body: unknown): string | undefined {
  const { success, issues } = v.safeParse(schema, body);
  if (success) return undefined;
  const [issue] = issues;
  return `Unknown or invalid parameter: '${v.getDotPath(issue) ?? ''}': ${issue.message}`;
}
