import type { TokenCounter } from '../tokens/token-counter.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { type Pace, type SourceMessage, throwIfCancelled, type Cancel, type YieldNow } from './source.ts';

/** Texts from this length on are counted with yields in between, in UTF-16 units. */
const LONG_TEXT = 25_000;

/** Each message's tokens with its framing and its attachments, yielding as it goes. */
export async function countMessages(
  messages: readonly SourceMessage[],
  counter: TokenCounter,
  pace: Pace,
  yieldNow: YieldNow | undefined,
  cancel?: Cancel,
): Promise<number[]> {
  const tokens: number[] = [];
  for (const message of messages) {
    let sum: number;
    let chars = 0;
    const only = message.content.length === 1 ? message.content[0] : undefined;
    if (only?.type === 'text' && only.text.length > LONG_TEXT && yieldNow) {
      sum = MESSAGE_FRAMING_TOKENS + (await counter.textYielding(only.text, yieldNow));
      throwIfCancelled(cancel);
    } else {
      sum = counter.message(message);
      for (const block of message.content) {
        if (block.type === 'text' || block.type === 'tool_result') chars += block.text.length;
        else if (block.type === 'tool_call') chars += block.json.length;
      }
    }
    for (const attachment of message.attachments ?? []) {
      sum += counter.attachment(attachment);
      chars += attachment.text.length;
    }
    tokens.push(sum);
    if (pace.isDue(chars + 100)) await pace.rest();
  }
  return tokens;
}

/** Tokens of a text sent as one message. */
export function framed(text: string, counter: Pick<TokenCounter, 'text'>): number {
  return MESSAGE_FRAMING_TOKENS + counter.text(text);
}
