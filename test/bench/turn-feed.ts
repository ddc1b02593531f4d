import type { Conversation } from '../../src/app/conversation.ts';
import type { TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import type { Harness } from '../unit/app/harness.ts';
import { appendMessages } from './append-messages.ts';

/** A user's message and everything until the next one. */
export interface Turn {
  readonly ask: string;
  readonly rest: readonly TranscriptMessage[];
}

/** Splits a transcript into turns. Messages before the first user message are omitted. */
export function turnsOf(transcript: readonly TranscriptMessage[]): Turn[] {
  const turns: { ask: string; rest: TranscriptMessage[] }[] = [];
  for (const message of transcript) {
    if (message.role === 'user') turns.push({ ask: message.text, rest: [] });
    else turns.at(-1)?.rest.push(message);
  }
  return turns;
}

/** Each turn takes a simulated minute, so that a failed summarizer is retried like in reality. */
const TURN_MS = 60_000;

/** The reply if the transcript has none, because an empty reply would be an error. */
const NO_ANSWER = 'Done.';

/**
 * Replays a turn: sends the user's message, answers it with the transcript's reply, and appends the other messages.
 * Resolves when background compression has committed. Rejects if the turn fails.
 */
export async function playTurn(harness: Harness, conversation: Conversation, { ask, rest }: Turn): Promise<void> {
  harness.clock.ahead += TURN_MS;
  const [first, ...others] = rest;
  const answer = first?.role === 'assistant' ? first : undefined;
  harness.script = async function* () {
    await Promise.resolve();
    yield { type: 'text', text: answer?.text || NO_ANSWER };
    yield { type: 'end', ending: 'complete' };
  };
  await conversation.send(ask);
  await appendMessages(conversation, answer ? others : rest);
  await conversation.betweenTurns();
  await conversation.settled();
}
