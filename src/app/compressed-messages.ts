import type { ContextMessage } from '../core/context/assemble.ts';
import { PromptsTooLong } from '../core/compress/summary-model.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { ContentBlock, Role } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { NEVER_YIELDS, type Yielder } from '../core/pace/yielder.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { InMemorySession } from './in-memory-session.ts';

/** A message as callers of the public API (`public-api.ts`) pass and receive it. */
export interface LibraryMessage {
  readonly role: Role;
  readonly content: string | readonly ContentBlock[];
  /** Of a response. Those of `local`, Threadkeeper's search without a model, are neither summarized nor key events. */
  readonly model?: string | undefined;
}

/** Model calls and their tokens; `costUsd` is 0 if the price is unknown. */
export type LibraryCalls = CompressionRecord['calls'];

/** Whether the summarizer was of no use. Provider errors are thrown instead. */
export interface Extraction {
  /** Whether a text was extracted because the summarizer gave no usable response. */
  readonly isExtracted: boolean;
  /** Whether that was only because no part of the messages fit in its context window. */
  readonly isWindowTooSmall: boolean;
}

export interface CompressedMessages extends Extraction {
  /** The given system messages, the ledger and summaries as one more (if there are any), and the recent messages. */
  readonly messages: readonly LibraryMessage[];
  readonly events: readonly KeyEvent[];
  /** The summaries. `from` and `to` are 0-based, inclusive positions of messages. */
  readonly nodes: readonly { readonly node: SummaryNode; readonly from: number; readonly to: number }[];
  readonly tokens: { readonly before: number; readonly after: number; readonly target: number | null };
  readonly calls: LibraryCalls;
}

/** A session's request, with its key events and summaries. */
export async function requestWithSummaries(
  session: InMemorySession,
  counter: TokenCounter,
  yielder: Yielder = NEVER_YIELDS,
): Promise<Omit<CompressedMessages, 'tokens'> & { readonly tokensAfter: number }> {
  const messages = sentMessages(session);
  let tokensAfter = 0;
  for (const { role, content } of messages)
    tokensAfter += (await counter.messageYielding({ role, content: contentBlocks(content) }, yielder)).body;
  return {
    messages,
    events: session.keyEvents(),
    nodes: session.state.frontier,
    calls: session.calls,
    ...extractionOf(session),
    tokensAfter,
  };
}

export const NOT_EXTRACTED: Extraction = { isExtracted: false, isWindowTooSmall: false };

export const extractionOf = ({ fallbackErrors: errors }: InMemorySession): Extraction => ({
  isExtracted: errors.size > 0,
  isWindowTooSmall: errors.size === 1 && errors.has(PromptsTooLong.name),
});

function sentMessages(session: InMemorySession): LibraryMessage[] {
  const context = session.context();
  const system = context.system.join('\n');
  return [
    ...session
      .systemMessages()
      .map(({ content }): LibraryMessage => ({ role: 'system', content: simplifyContent(content) })),
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    ...context.messages.map(({ role, content }: ContextMessage): LibraryMessage => ({
      role,
      content: simplifyContent(content),
    })),
  ];
}

function simplifyContent(content: readonly ContentBlock[]): string | readonly ContentBlock[] {
  const only = content.length === 1 ? content[0] : undefined;
  return only?.type === 'text' ? only.text : content;
}

export const contentBlocks = (content: LibraryMessage['content']): readonly ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
