import { compressPreserveEvents, type CompressedMessages } from '../../src/app/public-api.ts';
import { sourceMessages } from '../../src/cli/transcript-file.ts';
import { messageText, type ContentBlock } from '../../src/core/model/message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import { eventLoopYielder } from '../support/yielders.ts';
import type { Fact } from './data/facts.ts';
import { metered, type MeteredModel } from './models/metered.ts';
import { oracle } from './models/oracle.ts';

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

/** The newest messages that fit in a number of tokens, as plain truncation would send them. */
function newestWithin(transcript: readonly TranscriptMessage[], target: number, counter: TokenCounter): string {
  let room = target;
  const start = transcript.findLastIndex((one) => (room -= tokensOf([one], counter)) < 0) + 1;
  return transcript
    .slice(start)
    .map(({ text }) => text)
    .join('\n');
}

/** The compared systems, and the text that each sends of a transcript within a number of tokens. */
export const systemsFor = (transcript: readonly TranscriptMessage[], facts: readonly Fact[], counter: TokenCounter) =>
  [
    {
      id: 'oracle',
      name: 'with an oracle model',
      sent: async (target: number) => {
        const model = metered('oracle', counter, oracle({ counter, facts }));
        return sentText(await compressAtOnce(transcript, target, counter, model));
      },
    },
    {
      id: 'local',
      name: 'without a model',
      sent: async (target: number) => sentText(await compressAtOnce(transcript, target, counter)),
    },
    {
      id: 'newest',
      name: 'newest messages alone',
      sent: (target: number) => Promise.resolve(newestWithin(transcript, target, counter)),
    },
  ] as const;
