import { summaryModel } from '../../src/app/summary-model.ts';
import { sourceMessages } from '../../src/cli/source-messages.ts';
import { compressPreserveEvents } from '../../src/core/compress/compress-preserve-events.ts';
import type { CompressedTranscript } from '../../src/core/compress/compress-transcript.ts';
import { nodeId } from '../../src/core/model/ids.ts';
import { messageText, type ContentBlock } from '../../src/core/model/message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import { openLoop } from '../support/breathers.ts';
import type { MeteredModel } from './models/metered.ts';

/** A transcript within a number of tokens, as the command line's `compress` does it; by code where no model is given. */
export function compressAtOnce(
  transcript: readonly TranscriptMessage[],
  targetTokens: number,
  counter: TokenCounter,
  model?: MeteredModel,
): Promise<CompressedTranscript> {
  let made = 0;
  return compressPreserveEvents(sourceMessages(transcript), targetTokens, {
    counter,
    nextId: () => nodeId(`n${++made}`),
    now: Date.now,
    breather: openLoop(),
    ...(model && { model: summaryModel(model.model, 100_000, new AbortController().signal, () => undefined) }),
  });
}

/** All that would be sent, as one text. */
export const sentText = ({ messages }: Pick<CompressedTranscript, 'messages'>): string =>
  messages.map(({ content }) => textOf(content)).join('\n');

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string' ? content : messageText({ content });

/** Tokens of a transcript with each message's framing. */
export const tokensOf = (transcript: readonly TranscriptMessage[], counter: TokenCounter): number =>
  transcript.reduce((sum, one) => sum + counter.message({ role: one.role, content: contentOf(one) }), 0);
