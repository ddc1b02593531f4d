import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { PlainModel } from '../models/plain-model.ts';
import type { System } from './system.ts';

/** Messages that stay word for word beside a rolling summary. */
const WINDOW = 30;

/** The newest messages that fit, and nothing else. */
export const truncation: System = {
  id: 'newest',
  label: 'newest messages alone',
  asks: false,
  shape: 'json',
  assemblesInTurn: false,
  open({ budget, counter }) {
    const all: string[] = [];
    return Promise.resolve({
      spent: { calls: 0, input: 0, output: 0 },
      turn({ ask, rest }) {
        all.push(ask, ...rest.map(({ text }) => text));
        return Promise.resolve();
      },
      context: () => Promise.resolve(newestThatFit(all, budget, counter).join('\n')),
      close: () => Promise.resolve(),
    });
  },
};

/** The newest texts that stay within a number of tokens, each with its message's framing. */
export function newestThatFit(all: readonly string[], budget: number, counter: TokenCounter): readonly string[] {
  let room = budget;
  let from = all.length;
  while (from > 0) {
    room -= counter.text(all[from - 1] ?? '') + 4;
    if (room < 0) break;
    from--;
  }
  return all.slice(from);
}

/** The newest messages within half of the budget; what falls out is folded into one summary at each turn. */
export const rollingSummary: System = {
  id: 'rolling',
  label: 'window with a rolling summary',
  asks: true,
  shape: 'json',
  assemblesInTurn: false,
  open({ budget, counter, answer }) {
    const model = new PlainModel(answer, counter);
    let window: readonly string[] = [];
    let summary = '';
    return Promise.resolve({
      spent: model.spent,
      async turn({ ask, rest }) {
        const all = [...window, ask, ...rest.map(({ text }) => text)];
        const kept = newestThatFit(all.slice(-WINDOW), Math.floor(budget / 2), counter);
        const fallen = all.slice(0, all.length - kept.length);
        // What could not be folded stays, and is tried again with the next turn.
        window = all;
        if (fallen.length > 0)
          summary = await model.ask(`Fold what follows into the summary.\n${summary}\n\n${fallen.join('\n')}`);
        window = kept;
      },
      context: () => Promise.resolve([summary, ...window].join('\n')),
      close: () => Promise.resolve(),
    });
  },
};
