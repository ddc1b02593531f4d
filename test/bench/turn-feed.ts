import type { Conversation } from '../../src/app/conversation.ts';
import type { SessionEvent } from '../../src/core/journal/schema.ts';
import { messageId } from '../../src/core/model/ids.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import type { Desk } from '../unit/app/desk.ts';

/** A user's message and all that followed until the next one. */
export interface Turn {
  readonly ask: string;
  readonly rest: readonly TranscriptMessage[];
}

/** A transcript as turns; what stands before the first user message is left out. */
export function turnsOf(transcript: readonly TranscriptMessage[]): Turn[] {
  const turns: { ask: string; rest: TranscriptMessage[] }[] = [];
  for (const message of transcript) {
    if (message.role === 'user') turns.push({ ask: message.text, rest: [] });
    else turns.at(-1)?.rest.push(message);
  }
  return turns;
}

/** A minute passes with each turn, so that a summarizer that failed is tried again as it would be. */
const TURN_MS = 60_000;

/** Stands for an answer that the transcript does not have: an empty reply would be a fault. */
const NO_ANSWER = 'Done.';

/**
 * One turn as it would have been: the user's message is sent, the transcript's own answer comes back, what tools gave
 * and what followed is appended. Resolves when what was compressed in the background is committed. Rejects when the
 * turn could not proceed.
 */
export async function playTurn(desk: Desk, conversation: Conversation, { ask, rest }: Turn): Promise<void> {
  desk.clock.ahead += TURN_MS;
  const [first, ...others] = rest;
  const answer = first?.role === 'assistant' ? first : undefined;
  desk.script = async function* () {
    await Promise.resolve();
    yield { type: 'text', text: answer?.text || NO_ANSWER };
    yield { type: 'end', ending: 'complete' };
  };
  await conversation.send(ask);
  await append(conversation, answer ? others : rest);
  await conversation.betweenTurns();
  await conversation.settled();
}

async function append({ journal, state }: Conversation, messages: readonly TranscriptMessage[]): Promise<void> {
  let parent = state.head;
  const events = messages.map((one, n): SessionEvent => {
    const id = messageId(`${journal.id}-${state.path.length + n}-played`);
    const message = { id, parent, role: one.role, content: contentOf(one), at: Date.now() };
    parent = id;
    return { type: 'message_added', message };
  });
  if (events.length > 0) await journal.append(...events);
}
