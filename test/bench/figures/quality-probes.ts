import { systemsFor, tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { FAMILIES, FAMILY_LABELS, isAnswered, isOutdated, plantProbes } from '../data/probes.ts';
import { syntheticSession } from '../data/synthetic.ts';
import type { Figure, Measured } from '../report/figure.ts';

const PER_FAMILY = 10;
const BUDGETS = [0.02, 0.05, 0.1, 0.2, 0.3];

/** Which questions of four families can be answered from a session's context, at equal budgets. */
export async function measureProbes({ counter, print, quick }: BenchContext): Promise<Measured> {
  const { transcript, probes, facts } = plantProbes(syntheticSession(1_000), PER_FAMILY);
  const before = tokensOf(transcript, counter);
  const replaced = probes.filter(({ outdated }) => outdated !== undefined);
  const figures: Figure[] = [];
  for (const { id, name, sent: send } of systemsFor(transcript, facts, counter)) {
    for (const budget of quick ? [0.2] : BUDGETS) {
      print(`questions at ${budget * 100} %, ${name}`);
      const sent = await send(Math.floor(before * budget));
      const row = `${budget * 100} % of the tokens, ${name}`;
      const one = (part: string, column: string, value: number): Figure => ({
        id: `quality.probes.at${budget * 100}.${id}.${part}`,
        label: `${row}: ${column}`,
        value,
        unit: 'share',
        cell: {
          grid: `${PER_FAMILY} questions of each family about 1,000 messages, and ${replaced.length} replaced decisions`,
          row,
          column,
        },
      });
      const guard = { worse: 'lower', margin: 0.05, slack: 0.11 } as const;
      for (const family of FAMILIES) {
        const own = probes.filter((probe) => probe.family === family);
        const share = own.filter((probe) => isAnswered(probe, sent)).length / own.length;
        figures.push({ ...one(family, FAMILY_LABELS[family], share), ...(id !== 'newest' && { guard }) });
      }
      const stale = replaced.filter((probe) => isOutdated(probe, sent)).length / replaced.length;
      figures.push({
        ...one('outdated', 'replaced decisions that stand as current', stale),
        ...(id !== 'newest' && { target: { atMost: 0 }, guard: { worse: 'higher', margin: 0.05, slack: 0.21 } }),
      });
    }
  }
  return { figures };
}
