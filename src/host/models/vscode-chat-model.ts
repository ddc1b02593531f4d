import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ChatChunk, ChatModel, ChatRequest } from '../../app/ports.ts';
import { requestFallback, type RequestFallback } from '../../providers/request-fallback.ts';
import { watchStream, type WatchedCall } from '../../providers/watched-call.ts';
import { callTimeouts } from '../platform/settings.ts';
import { toVsCodeMessages } from './vscode-messages.ts';
import { vsCodeModelFault } from './vscode-model-fault.ts';

/** Timeout for counting tokens in ms, so that a slow counter doesn't delay the reply. */
const COUNT_TIMEOUT_MS = 3000;

/**
 * Adapts a VS Code language model; `model` is `vendor/id`, the name stored in the session. VS Code reports no usage, so
 * tokens are counted with the model's own counter. It supports neither output limits nor schemas, so only the prompt
 * states them. The first request makes VS Code ask for the user's consent, so it must follow a user action.
 */
export function vsCodeChatModel(model: string, chat: vscode.LanguageModelChat): ChatModel {
  const fallback = requestFallback('vscode', vsCodeModelFault);
  return {
    id: `vscode/${model}`,
    provider: 'vscode',
    model,
    stream: (request, signal) =>
      watchStream(signal, callTimeouts(), (call) => openChat(chat, fallback, request, call), vsCodeModelFault),
  };
}

async function* openChat(
  chat: vscode.LanguageModelChat,
  fallback: RequestFallback,
  request: ChatRequest,
  call: WatchedCall,
): AsyncGenerator<ChatChunk> {
  const { signal } = call.controller;
  signal.throwIfAborted();
  const cancel = new vscode.CancellationTokenSource();
  // The signal is also aborted at the end of the call. An extension that ignores cancellation must not block the turn.
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => {
      cancel.cancel();
      cancel.dispose();
      reject(new Error('stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  stopped.catch(() => undefined);
  const messages = toVsCodeMessages(request);
  const inputTokens = countTokens(chat, messages.map(({ text }) => text).join('\n'));
  let replyText = '';
  const sent = messages.map(({ role, text }) =>
    role === 'user' ? vscode.LanguageModelChatMessage.User(text) : vscode.LanguageModelChatMessage.Assistant(text),
  );
  const { parts, first } = await fallback.send(request, async ({ temperature }, without) => {
    const options: vscode.LanguageModelChatRequestOptions = {
      justification: vscode.l10n.t(
        'Threadkeeper uses the model that you selected to respond to your messages and to summarize them.',
      ),
      ...(temperature !== undefined && !without.has('temperature') && { modelOptions: { temperature } }),
    };
    const response = await Promise.race([chat.sendRequest(sent, options, cancel.token), stopped]);
    const stream = response.stream[Symbol.asyncIterator]();
    // Extensions reject requests by failing the stream.
    return { parts: stream, first: await Promise.race([stream.next(), stopped]) };
  });
  for (let part = first; part.done !== true; part = await Promise.race([parts.next(), stopped])) {
    // Thinking isn't yielded, but shows that the model isn't silent.
    call.onActivity();
    const value: unknown = part.value;
    if (!(value instanceof vscode.LanguageModelTextPart) || value.value === '') continue;
    replyText += value.value;
    yield { type: 'text', text: value.value };
  }
  const [input, output] = await Promise.all([inputTokens, countTokens(chat, replyText)]);
  if (input !== undefined && output !== undefined) yield { type: 'usage', usage: { input, output } };
  yield { type: 'end', ending: 'complete' };
}

/** Tokens as counted by the model; undefined if that fails or takes too long. */
async function countTokens(chat: vscode.LanguageModelChat, text: string): Promise<number | undefined> {
  const timedOut = sleep(COUNT_TIMEOUT_MS, undefined, { ref: false });
  try {
    return await Promise.race([chat.countTokens(text), timedOut]);
  } catch {
    return undefined;
  }
}
