import { compressPreserveEvents, type CompressedMessages } from '../../src/app/public-api.ts';
import { sourceMessages } from '../../src/cli/transcript-file.ts';
import { messageText, type ContentBlock } from '../../src/core/model/message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import { eventLoopYielder } from '../support/yielders.ts';
import type { MeteredModel } from './models/metered.ts';

/** Compresses a transcript to a number of tokens like the command line's `compress`; without a model, extractively. */
export function compressAtOnce(
  transcript: readonly TranscriptMessage[],
  targetTokens: number,
  counter: TokenCounter,
  model?: MeteredModel,
): Promise<CompressedMessages> {
  return compressPreserveEvents(sourceMessages(transcript), targetTokens, {
    counter,
    yielder: eventLoopYielder(),
    ...(model && { model: { model: model.model, maxInputTokens: 100_000 } }),
  });
}

/** The complete request as one text. */
export const sentText = ({ messages }: Pick<CompressedMessages, 'messages'>): string =>
  messages.map(({ content }) => textOf(content)).join('\n');

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string' ? content : messageText({ content });

/** The tokens of a transcript, including each message's framing. */
export const tokensOf = (transcript: readonly TranscriptMessage[], counter: TokenCounter): number =>
  transcript.reduce((sum, one) => sum + counter.message({ role: one.role, content: contentOf(one) }), 0);
