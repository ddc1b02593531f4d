import type { Conversation } from '../../../src/app/conversation.ts';
import { gaugeView } from '../../../src/host/gauge/gauge-view.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { Harness, says } from '../../unit/app/harness.ts';
import { appendMessages } from '../append-messages.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { cpuMs, quantile } from '../report/cpu.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

/** Number of messages in the short session. */
export const SHORT_SESSION_LENGTH = 100;
/** Messages between trigger checks while a session is filled. */
const STEP = 40;
/**
 * Simulated time between turns in ms, so that a compression that found nothing to save is retried after a few turns,
 * not hundreds.
 */
const TURN_MS = 60_000;
/** Number of first turns that aren't measured, because they compile the code. */
const WARM_UP = 15;

export const REPLY = 'It is as you print, and nothing else had to change.';

/** The host's cost of a turn in short and long sessions. The same turns run in both, alternately. */
export async function measureTurns({ quick, print }: BenchContext): Promise<Measured> {
  await using harness = await Harness.open(says(REPLY));
  const large = await harness.converse();
  const transcript = syntheticSession(quick ? 2_000 : 10_000);
  const figures: Figure[] = [];
  const points: [number, number][] = [];
  let growing = 0;
  let from = 0;
  for (const length of quick ? [2_000] : [500, 2_000, 5_000, 10_000]) {
    print(`turns: a session of ${length} messages`);
    growing += await cpuMs(() => grow(large, transcript.slice(from, length)));
    from = length;
    const small = await harness.converse();
    await grow(small, syntheticSession(SHORT_SESSION_LENGTH));
    const costs = await compareTurns(harness, small, large, quick ? 240 : 800);
    await small.close();
    if (points.length === 0) points.push([SHORT_SESSION_LENGTH, quantile(costs.small, 0.5)]);
    points.push([length, quantile(costs.large, 0.5)]);
    if (length === 2_000 || length === 10_000) figures.push(...turnFigures(costs, length));
  }
  const length = transcript.length.toLocaleString('en-US');
  figures.push(
    figure(
      `speed.turn${transcript.length}.grow`,
      `${length} messages into a journal, compressed as they come`,
      growing / 1000,
      's',
      quick ? {} : { target: { atMost: 20 } },
    ),
  );
  await large.close();
  const series = [{ name: 'median', points }];
  const plot = { id: 'speed.turns', title: 'What a turn costs the host', x: 'messages', y: 'ms of CPU time', series };
  return { figures, plots: quick ? [] : [plot] };
}

interface TurnCosts {
  readonly small: readonly number[];
  readonly large: readonly number[];
}

/**
 * CPU time of each turn in ms: appends and counts messages, assembles the request, stores the reply, and updates the
 * gauge. Excludes the compression afterwards and the gauge's second update.
 */
export async function compareTurns(
  harness: Harness,
  small: Conversation,
  large: Conversation,
  messages: number,
): Promise<TurnCosts> {
  const costs = { small: [] as number[], large: [] as number[] };
  // Both start right after a compression, so that they are compressed again in the same turns.
  await small.compressNow();
  await large.compressNow();
  const asks = syntheticSession(messages, 99).filter(({ role }) => role === 'user');
  for (const [at, { text }] of asks.entries()) {
    // The order alternates, because the second session benefits from warm caches.
    for (const which of at % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const conversation = which === 'small' ? small : large;
      const cost = await cpuMs(async () => {
        await conversation.send(text);
        gaugeView(conversation);
      });
      await conversation.settled();
      gaugeView(conversation);
      if (at >= WARM_UP) costs[which].push(cost);
    }
    harness.requests.length = 0;
    harness.clock.ahead += TURN_MS;
  }
  return costs;
}

export function turnFigures({ small, large }: TurnCosts, length: number): Figure[] {
  const name = length.toLocaleString('en-US');
  const ratio = (id: string, share: number): Figure => ({
    id: `speed.turn${length}.${id}`,
    label: `a turn at ${name} messages against one at ${SHORT_SESSION_LENGTH}, ${id}`,
    value: quantile(large, share) / quantile(small, share),
    unit: '×',
    target: { atMost: 1.2 },
    // The 95th percentile depends on few turns.
    guard: { worse: 'higher', margin: share > 0.9 ? 1.5 : 0.35 },
  });
  return [
    ratio('p50', 0.5),
    ratio('p95', 0.95),
    figure(`speed.turn${length}.cpu`, `a turn at ${name} messages, median`, quantile(large, 0.5), 'ms'),
  ];
}

/** Appends messages to a session, and checks the compression triggers while it grows. */
export async function grow(conversation: Conversation, messages: readonly TranscriptMessage[]): Promise<void> {
  for (let at = 0; at < messages.length; at += STEP) {
    await appendMessages(conversation, messages.slice(at, at + STEP));
    await conversation.betweenTurns();
    await conversation.settled();
  }
}
