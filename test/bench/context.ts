import type { TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';
import type { SharedSession } from './data/shared.ts';
import { syntheticSession } from './data/synthetic.ts';

/** What every figure is measured with. */
export interface BenchContext {
  /** Smaller sizes; what takes minutes is left out. */
  readonly quick: boolean;
  readonly counter: TokenCounter;
  /** None where the shared data is absent. */
  readonly sessions: readonly SharedSession[];
  readonly say: (text: string) => void;
}

/** The first `count` messages of real developers' sessions in a row; synthetic ones where there are none. */
export function developerMessages({ sessions }: BenchContext, count: number): readonly TranscriptMessage[] {
  const real = sessions.filter((session) => session.developer);
  if (real.length === 0) return syntheticSession(count);
  // Agents' sessions first, which are the heaviest; the long chat without an agent last.
  const order = [...real].sort((a, b) => a.messages.length - b.messages.length);
  return order.flatMap((session) => session.messages).slice(0, count);
}
