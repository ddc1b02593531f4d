import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ChatChunk, ChatModel, ChatRequest } from '../../app/ports.ts';
import type { Usage } from '../../core/model/message.ts';
import { RequestFallback } from '../../providers/request-fallback.ts';
import { runWatched, type WatchedCall } from '../../providers/watched-call.ts';
import { callTimeouts } from '../platform/settings.ts';
import { toVsCodeMessages, type VsCodeMessage, vsCodeModelFault } from './vscode-lm.ts';
import { deferred } from '../../core/pace/deferred.ts';

/** Timeout for counting tokens in ms, so that a slow counter doesn't delay the reply. */
const COUNT_TIMEOUT_MS = 3000;

/**
 * Adapts a VS Code language model. VS Code reports no usage, so tokens are counted with the model's own counter. It
 * supports neither output limits nor schemas, so only the prompt states them. The first request makes VS Code ask for the user's
 * consent, so it must follow a user action.
 */
export class VsCodeChatModel implements ChatModel {
  readonly provider = 'vscode';
  readonly model: string;
  readonly id: string;
  readonly #chat: vscode.LanguageModelChat;
  readonly #fallback = new RequestFallback('vscode', vsCodeModelFault);

  /** @param model `vendor/id`, the name stored in the session */
  constructor(model: string, chat: vscode.LanguageModelChat) {
    this.model = model;
    this.id = `vscode/${model}`;
    this.#chat = chat;
  }

  /** Whether VS Code still provides the same model under this name. */
  uses(chat: vscode.LanguageModelChat): boolean {
    return this.#chat === chat;
  }

  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk> {
    return runWatched(signal, callTimeouts(), (call) => this.#open(request, call), vsCodeModelFault);
  }

  async *#open(request: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    const { signal } = call.controller;
    const messages = toVsCodeMessages(request);
    const cancel = new vscode.CancellationTokenSource();
    const stop = (): void => cancel.cancel();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const inputTokens = this.#count(messages.map((message) => message.text).join('\n'));
    let replyText = '';
    try {
      const { parts, first } = await this.#fallback.send(request, ({ temperature }, without) =>
        this.#begin(messages, without.has('temperature') ? undefined : temperature, cancel.token, signal),
      );
      for (let part = first; part.done !== true; part = await unlessStopped(parts.next(), signal)) {
        // Thinking isn't yielded, but shows that the model isn't silent.
        call.onActivity();
        if (!(part.value instanceof vscode.LanguageModelTextPart) || part.value.value === '') continue;
        replyText += part.value.value;
        yield { type: 'text', text: part.value.value };
      }
      const usage = await this.#usage(inputTokens, replyText);
      if (usage) yield { type: 'usage', usage };
      yield { type: 'end', ending: 'complete' };
    } finally {
      signal.removeEventListener('abort', stop);
      cancel.cancel();
      cancel.dispose();
    }
  }

  /** Waits for the first chunk, because extensions reject requests by failing the stream. */
  async #begin(
    messages: readonly VsCodeMessage[],
    temperature: number | undefined,
    token: vscode.CancellationToken,
    signal: AbortSignal,
  ): Promise<{ readonly parts: AsyncIterator<unknown>; readonly first: IteratorResult<unknown> }> {
    const response = await unlessStopped(
      this.#chat.sendRequest(
        messages.map(({ role, text }) =>
          role === 'user'
            ? vscode.LanguageModelChatMessage.User(text)
            : vscode.LanguageModelChatMessage.Assistant(text),
        ),
        {
          justification: vscode.l10n.t(
            'Threadkeeper uses the model that you selected to respond to your messages and to summarize them.',
          ),
          ...(temperature !== undefined && { modelOptions: { temperature } }),
        },
        token,
      ),
      signal,
    );
    const parts = response.stream[Symbol.asyncIterator]();
    return { parts, first: await unlessStopped(parts.next(), signal) };
  }

  async #usage(inputTokens: Promise<number | undefined>, replyText: string): Promise<Usage | undefined> {
    const [input, output] = await Promise.all([inputTokens, this.#count(replyText)]);
    return input === undefined || output === undefined ? undefined : { input, output };
  }

  /** Tokens as counted by the model; undefined if that fails or takes too long. */
  async #count(text: string): Promise<number | undefined> {
    const timedOut = sleep(COUNT_TIMEOUT_MS, undefined, { ref: false });
    try {
      return await Promise.race([this.#chat.countTokens(text), timedOut]);
    } catch {
      return undefined;
    }
  }
}

/** Rejects when the signal is aborted, because an extension that ignores cancellation must not block the turn. */
async function unlessStopped<T>(work: Thenable<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: stopped, reject } = deferred<never>();
  const stop = (): void => reject(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
