import { tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { factsIn, plantFacts } from '../data/facts.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { oracle } from '../models/oracle.ts';
import type { Figure, Measured } from '../report/figure.ts';
import { allSystems } from '../systems/all.ts';
import { play } from '../systems/play.ts';
import type { Model } from '../systems/system.ts';
import { turnsOf } from '../turn-feed.ts';
import { cells } from './cells.ts';
import { OVER } from './peers.ts';

const MESSAGES = 400;
const FACTS = 50;
const SHARE = 0.2;
const MOST_MS = 20_000;
/** What no model's answer is longer than, in UTF-16 units: a summary that doubles with each turn must end somewhere. */
const LONGEST = 100_000;

/** Summarizers from the best to the worst. */
const MODELS: Readonly<Record<string, { readonly label: string; readonly model: Model }>> = {
  oracle: { label: 'an oracle', model: (facts, counter, shape) => oracle({ counter, facts, shape }) },
  decay: {
    label: 'a model that passes each fact on with a chance of 0.9',
    model: (facts, counter, shape) => oracle({ counter, facts, shape, keeps: 0.9 }),
  },
  throwing: { label: 'a model that fails on every call', model: () => () => undefined },
  empty: { label: 'a model that answers nothing', model: () => () => '' },
  longer: {
    label: 'a model that answers more than it was given',
    model: () => (prompt) => `${prompt}\n${prompt}`.slice(0, LONGEST),
  },
};

/** Slow, and not better with a bad model than its other setting. */
const LEFT_OUT: ReadonlySet<string> = new Set(['summaryBuffer', 'observational']);

/** Every system that asks a summarizer, with good ones and bad ones. */
export async function measurePeersWithHardModels(context: BenchContext): Promise<Measured> {
  const { counter, say, quick } = context;
  if (quick) return { figures: [] };
  const systems = (await allSystems(context)).filter(({ id, asks }) => asks && !LEFT_OUT.has(id));
  const { transcript, facts } = plantFacts(syntheticSession(MESSAGES), FACTS);
  const turns = turnsOf(transcript);
  const conversation = tokensOf(transcript, counter);
  const budget = Math.floor(conversation * SHARE);
  const figures: Figure[] = [];
  for (const [name, { label, model }] of Object.entries(MODELS)) {
    for (const system of systems) {
      say(`peers: ${system.label} with ${label}`);
      const answer = model(facts, counter, system.shape);
      const outcome = await play(system, turns, { budget, counter, answer }, MOST_MS);
      const one = cells(`peers.${name}.${system.id}`, {
        grid: `${MESSAGES} messages with ${FACTS} facts at ${SHARE * 100} % of the tokens, with ${label}`,
        row: system.label,
      });
      const share = counter.text(outcome.text) / budget;
      const best = share <= OVER ? 'higher' : undefined;
      figures.push(
        one('turns', 'turns that proceeded', outcome.proceeded / turns.length, 'share', best),
        one('calls', 'calls', outcome.spent.calls, 'count'),
        one('sent', 'sent to the summarizer', outcome.spent.input / conversation, '×'),
        one('facts', 'facts kept', factsIn(facts, outcome.text).length / FACTS, 'share', best),
        one('context', 'context, share of the budget', share, 'share'),
      );
    }
  }
  return { figures };
}
