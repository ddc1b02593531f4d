import { messageId } from '../../../src/core/model/ids.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import type { SessionEvent } from '../../../src/core/journal/event.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { contentOf } from '../../../src/core/transcript/transcript-message.ts';
import { Desk, says } from '../../unit/app/desk.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { cpuMs, quantile } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';

const SHORT = 100;
/** Messages between two checks of the triggers while a session is filled. */
const STEP = 40;

/** What a turn costs the host, in a short and in a long session, the same turns in both, one after the other. */
export async function measureTurns(context: BenchContext): Promise<Measured> {
  const { quick, say } = context;
  const long = quick ? 2_000 : 10_000;
  const desk = await Desk.open(says('It is as you say, and nothing else had to change.'));
  try {
    say(`turns: filling sessions of ${SHORT} and ${long} messages`);
    const [small, large] = [await desk.converse(), await desk.converse()];
    await grow(small, syntheticSession(SHORT));
    const growing = await cpuMs(() => grow(large, syntheticSession(long)));
    const turns = syntheticSession(quick ? 240 : 480, 99).filter(({ role }) => role === 'user');
    const costs = { small: [] as number[], large: [] as number[] };
    say(`turns: ${turns.length} turns in each`);
    for (const [at, { text }] of turns.entries()) {
      // Whoever comes second finds warm caches: they take turns.
      const order = at % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const);
      for (const which of order) {
        const conversation = which === 'small' ? small : large;
        const cost = await cpuMs(() => conversation.send(text));
        await conversation.settled();
        // The first turns compile the code.
        if (at >= 20) costs[which].push(cost);
      }
      desk.requests.length = 0;
    }
    const p = (share: number): number => quantile(costs.large, share) / quantile(costs.small, share);
    const figure = (name: string, share: number): Figure => ({
      id: `speed.turn${long}.${name}`,
      label: `a turn at ${long.toLocaleString('en-US')} messages against one at ${SHORT}, ${name}`,
      value: p(share),
      unit: '×',
      target: { atMost: 1.2 },
      guard: { worse: 'higher', margin: 0.35 },
    });
    const figures: Figure[] = [
      figure('p50', 0.5),
      figure('p95', 0.95),
      {
        id: `speed.turn${long}.cpu`,
        label: `a turn at ${long.toLocaleString('en-US')} messages, median`,
        value: quantile(costs.large, 0.5),
        unit: 'ms',
      },
      {
        id: `speed.turn${long}.grow`,
        label: `${long.toLocaleString('en-US')} messages into a journal, compressed as they come`,
        value: growing / 1000,
        unit: 's',
        ...(!quick && { target: { atMost: 20 } }),
      },
    ];
    await small.close();
    await large.close();
    return { figures };
  } finally {
    await desk.close();
  }
}

/** Puts messages into a session as they would have come, with journal and counts, triggers checked as it grows. */
export async function grow(conversation: Conversation, messages: readonly TranscriptMessage[]): Promise<void> {
  for (let at = 0; at < messages.length; at += STEP) {
    const { journal, state } = conversation;
    let parent = state.head;
    const from = state.path.length;
    const events = messages.slice(at, at + STEP).map((one, n): SessionEvent => {
      const message = {
        id: messageId(`${journal.id}-${from + n}`),
        parent,
        role: one.role,
        content: contentOf(one),
        at: Date.now(),
      };
      parent = message.id;
      return { type: 'message_added', message };
    });
    await journal.append(...events);
    await conversation.countNew();
    await conversation.betweenTurns();
    await conversation.settled();
  }
}
