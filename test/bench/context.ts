import type { TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';
import type { RealTranscript } from './data/real-transcripts.ts';
import { syntheticSession } from './data/synthetic.ts';

/** The input of all measurements. */
export interface BenchContext {
  /** Whether sessions are smaller, and figures that take minutes are omitted. */
  readonly quick: boolean;
  readonly counter: TokenCounter;
  /** Empty if the shared data is absent. */
  readonly sessions: readonly RealTranscript[];
  readonly print: (text: string) => void;
}

/** The first `count` messages of real developer sessions, concatenated, or of a synthetic session if there are none. */
export function developerMessages({ sessions }: BenchContext, count: number): readonly TranscriptMessage[] {
  const real = sessions.filter((session) => session.isDeveloper);
  if (real.length === 0) return syntheticSession(count);
  // Shortest first: agent sessions, which have the longest messages, come before the long chat without an agent.
  const order = [...real].sort((a, b) => a.messages.length - b.messages.length);
  return order.flatMap((session) => session.messages).slice(0, count);
}
