import type { CacheUse } from './cache.ts';

/** A model's reply, with the token counts that its server reports. */
export interface Reply {
  readonly model: string;
  readonly text: string;
  /** Thinking tokens, within the request's limit. */
  readonly reasoning: number;
  readonly answered: number;
  readonly cut: boolean;
  /** Only Anthropic's protocol has refusals without text. */
  readonly refused: boolean;
  /** Input tokens that the server read, including cached ones. */
  readonly input: number;
  readonly cache: CacheUse;
  readonly thinkingAs: 'field' | 'tags' | 'unopened';
}

const PIECE = 24;
const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
export const THOUGHT = 'First I look at what was asked.\nThen at what is known. ';

/** The Responses endpoint: developers.openai.com/api/docs/api-reference/responses-streaming */
export function* responsesStream(reply: Reply): Generator<string> {
  let sequence_number = 0;
  const event = (type: string, more: object): string =>
    sse({ type, sequence_number: sequence_number++, ...more }, type);
  const { model, cut, input, reasoning, answered, cache } = reply;
  const response = { id: 'resp_1', object: 'response', model, output: [], usage: null };
  yield event('response.created', { response: { ...response, status: 'in_progress' } });
  if (reasoning > 0) {
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    yield event('response.output_item.added', { output_index: 0, item });
    yield event('response.output_item.done', { output_index: 0, item });
  }
  if (reply.text !== '') {
    const at = { output_index: 1, content_index: 0, item_id: 'msg_1' };
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    yield event('response.output_item.added', { output_index: 1, item });
    for (const delta of pieces(reply.text)) yield event('response.output_text.delta', { ...at, delta, logprobs: [] });
    yield event('response.output_text.done', { ...at, text: reply.text, logprobs: [] });
  }
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cache.read, cache_write_tokens: cache.write },
    output_tokens: reasoning + answered,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + reasoning + answered,
  };
  const status = cut ? 'incomplete' : 'completed';
  const incomplete_details = cut ? { reason: 'max_output_tokens' } : null;
  yield event(`response.${status}`, { response: { ...response, status, incomplete_details, usage } });
}

/** Chat Completions as streamed by OpenAI and compatible servers. */
export function* chatStream(reply: Reply, withUsage: boolean, servesLocally: boolean): Generator<string> {
  const { model, cut, input, reasoning, answered, cache, thinkingAs } = reply;
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    sse({ ...base, choices: [{ index: 0, delta, finish_reason }], ...(withUsage && { usage: null }) });
  yield chunk({ role: 'assistant', content: '' });
  let text = reply.text;
  // OpenAI doesn't show the thinking here. Local servers do, in different ways.
  if (reasoning > 0 && servesLocally) {
    if (thinkingAs === 'field') for (const one of pieces(THOUGHT)) yield chunk({ reasoning_content: one });
    else {
      const closing = cut && text === '' ? '' : '\n</think>\n\n';
      text = `${thinkingAs === 'tags' ? '<think>\n' : ''}${THOUGHT}${closing}${text}`;
    }
  }
  for (const content of pieces(text)) yield chunk({ content });
  yield chunk({}, cut ? 'length' : 'stop');
  if (withUsage) {
    const usage = {
      prompt_tokens: input,
      completion_tokens: reasoning + answered,
      total_tokens: input + reasoning + answered,
      prompt_tokens_details: { cached_tokens: cache.read, cache_write_tokens: cache.write },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    yield sse({ ...base, choices: [], usage });
  }
  yield 'data: [DONE]\n\n';
}

/** Anthropic's Messages: platform.claude.com/docs/en/build-with-claude/streaming */
export function* messagesStream(reply: Reply): Generator<string> {
  const { model, cut, refused, input, reasoning, answered, cache } = reply;
  const event = (type: string, more: object = {}): string => sse({ type, ...more }, type);
  const usage = {
    input_tokens: input - cache.read - cache.write,
    cache_read_input_tokens: cache.read,
    cache_creation_input_tokens: cache.write,
    cache_creation: { ephemeral_1h_input_tokens: cache.hour, ephemeral_5m_input_tokens: cache.write - cache.hour },
    output_tokens: 1,
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  yield event('message_start', { message });
  yield event('ping');
  let index = 0;
  if (reasoning > 0) {
    yield event('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } });
    yield event('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2ln' } });
    yield event('content_block_stop', { index: index++ });
  }
  if (reply.text !== '') {
    yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    for (const text of pieces(reply.text))
      yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
    yield event('content_block_stop', { index });
  }
  yield event('message_delta', {
    delta: { stop_reason: refused ? 'refusal' : cut ? 'max_tokens' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: reasoning + answered, output_tokens_details: { thinking_tokens: reasoning } },
  });
  yield event('message_stop');
}

/** Ollama's native endpoint: one JSON object per line (docs.ollama.com/api/streaming). */
export function* ollamaStream(reply: Reply, think: boolean): Generator<string> {
  const line = (more: object): string =>
    `${JSON.stringify({ model: reply.model, created_at: '2026-11-23T00:00:00Z', ...more })}\n`;
  const chunk = (message: object): string =>
    line({ message: { role: 'assistant', content: '', ...message }, done: false });
  if (reply.reasoning > 0 && think) for (const thinking of pieces(THOUGHT)) yield chunk({ thinking });
  for (const content of pieces(reply.text)) yield chunk({ content });
  yield line({
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reply.cut ? 'length' : 'stop',
    prompt_eval_count: reply.input,
    eval_count: reply.reasoning + reply.answered,
  });
}
