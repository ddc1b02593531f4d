import { MESSAGE_FRAMING_TOKENS, type MessageTokens, type TokenCounter } from '../tokens/token-counter.ts';
import { breathe } from '../pace/breather.ts';
import type { Pace, SourceMessage } from './source.ts';

/** Each message's tokens with its framing, and its attachments', resting as it goes. */
export async function countMessages(
  messages: readonly SourceMessage[],
  counter: TokenCounter,
  pace: Pace,
): Promise<MessageTokens[]> {
  const tokens: MessageTokens[] = [];
  for (const message of messages) {
    tokens.push(await counter.whole(message, pace));
    await breathe(pace);
  }
  return tokens;
}

/** Tokens of a text sent as one message. */
export function framed(text: string, counter: Pick<TokenCounter, 'text'>): number {
  return MESSAGE_FRAMING_TOKENS + counter.text(text);
}
