import { tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { FAMILIES, FAMILY_LABELS, isAnswered, isOutdated, plantProbes } from '../data/probes.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { oracle } from '../models/oracle.ts';
import type { Figure, Measured } from '../report/figure.ts';
import { oftenTried } from '../systems/all.ts';
import { play } from '../systems/play.ts';
import { turnsOf } from '../turn-feed.ts';
import { cells } from './cells.ts';
import { OVER } from './peers.ts';

const PER_FAMILY = 10;
const SHARE = 0.2;

/** Questions of four families about one session, and old answers that would be taken for current ones. */
export async function measurePeerProbes(context: BenchContext): Promise<Measured> {
  const { counter, say, quick } = context;
  if (quick) return { figures: [] };
  const { transcript, probes, facts } = plantProbes(syntheticSession(1_000), PER_FAMILY);
  const turns = turnsOf(transcript);
  const budget = Math.floor(tokensOf(transcript, counter) * SHARE);
  const replaced = probes.filter(({ outdated }) => outdated !== undefined);
  const figures: Figure[] = [];
  for (const system of await oftenTried(context)) {
    say(`peers: ${system.label}, questions`);
    const answer = oracle({ counter, facts, shape: system.shape });
    const { text } = await play(system, turns, { budget, counter, answer });
    const one = cells(`peers.probes.${system.id}`, {
      grid: `${PER_FAMILY} questions of each family about 1,000 messages, turn by turn at ${SHARE * 100} % of the tokens, with an oracle`,
      row: system.label,
    });
    const within = counter.text(text) / budget <= OVER;
    for (const family of FAMILIES) {
      const own = probes.filter((probe) => probe.family === family);
      const share = own.filter((probe) => isAnswered(probe, text)).length / own.length;
      figures.push(one(family, FAMILY_LABELS[family], share, 'share', within ? 'higher' : undefined));
    }
    const stale = replaced.filter((probe) => isOutdated(probe, text)).length / replaced.length;
    figures.push(one('outdated', 'replaced decisions that stand as current', stale, 'share'));
  }
  return { figures };
}
