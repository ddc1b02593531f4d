import { gaugeErrors, OTHER_COUNTS, TURNS } from '../../support/reported-usage.ts';
import { WireServer } from '../../support/wire-server.ts';
import type { BenchContext } from '../context.ts';
import type { Figure, Measured } from '../report/figure.ts';

/** Number of turns after which the calibration must be accurate. */
const LEARNED_AFTER = 5;

/** The gauge's error compared to the usage reported over HTTP by a server with another tokenizer. */
export async function measureGauge({ print }: BenchContext): Promise<Measured> {
  await using server = await WireServer.start();
  const figures: Figure[] = [];
  for (const [at, other] of OTHER_COUNTS.entries()) {
    print(`the gauge beside a server's count: ${other.name}`);
    const { errors } = await gaugeErrors(server, other);
    const figure = (id: string, when: string, of: readonly number[], target?: Figure['target']): Figure => ({
      id: `quality.gauge.${at + 1}.${id}`,
      label: `error of the gauge, ${other.name}: ${when}`,
      value: Math.max(...of),
      unit: 'share',
      ...(target && { target, guard: { worse: 'higher' as const, margin: 0.5, slack: 0.01 } }),
    });
    figures.push(
      figure('first', 'first turn', errors.slice(0, 1)),
      figure('learned', 'largest after five turns', errors.slice(LEARNED_AFTER, TURNS.before), { atMost: 0.05 }),
      figure('reloaded', 'largest after a reload', errors.slice(TURNS.before), { atMost: 0.05 }),
    );
  }
  return { figures };
}
