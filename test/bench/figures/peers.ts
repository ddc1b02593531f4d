import { tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { factsIn, plantFacts } from '../data/facts.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { oracle } from '../models/oracle.ts';
import { installPeers } from '../peers/load.ts';
import type { Figure, Measured, Plot, Series } from '../report/figure.ts';
import { allSystems, oftenTried } from '../systems/all.ts';
import { play } from '../systems/play.ts';
import type { System } from '../systems/system.ts';
import { turnsOf, type Turn } from '../turn-feed.ts';
import { cells } from './cells.ts';
import { measureTokenizers } from './peers-counting.ts';

const FACTS = 50;
const SHARE = 0.2;
const BUDGETS = [0.02, 0.05, 0.1, 0.2, 0.3];
/** CPU time that a system gets for a session before it is stopped, in ms. */
const MOST_MS = 20_000;
const QUICK_MS = 3_000;
/** What the prompts around a context may take beyond the budget before it counts as exceeded. */
export const OVER = 1.1;

/** Other libraries and this product over the same session, with the same facts, budget and oracle; token counting. */
export async function measurePeers(context: BenchContext): Promise<Measured> {
  const versions = await installPeers(context.say);
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const figures = [
    ...(await measureTokenizers(context)),
    ...(await session(await allSystems(context), 1_000, context)),
  ];
  return { figures, notes: [`Peers: ${named.join(', ')}.`] };
}

/** The same in a long session. */
export async function measureLongSessions(context: BenchContext): Promise<Measured> {
  return { figures: context.quick ? [] : await session(await oftenTried(context), 10_000, context) };
}

/** One session at a fifth of its tokens: what is kept, what that costs, how far it came. */
async function session(systems: readonly System[], count: number, context: BenchContext): Promise<Figure[]> {
  const { counter, say, quick } = context;
  const mostMs = quick ? QUICK_MS : MOST_MS;
  const { transcript, facts } = plantFacts(syntheticSession(count), FACTS);
  const turns = turnsOf(transcript);
  const conversation = tokensOf(transcript, counter);
  const budget = Math.floor(conversation * SHARE);
  const name = count.toLocaleString('en-US');
  const tokens = budget.toLocaleString('en-US');
  const figures: Figure[] = [];
  for (const system of systems) {
    say(`peers: ${system.label}, ${name} messages`);
    const answer = oracle({ counter, facts, shape: system.shape });
    const outcome = await play(system, turns, { budget, counter, answer }, mostMs);
    const said = factsIn(facts, turns.slice(0, outcome.played).map(turnText).join('\n'));
    const one = cells(`peers.at${count}.${system.id}`, {
      grid: `${name} messages with ${FACTS} facts, a budget of ${SHARE * 100} % (${tokens} tokens), an oracle; stopped after ${mostMs / 1_000} s`,
      row: system.label,
    });
    const share = counter.text(outcome.text) / budget;
    // Whoever sends more than may be sent has kept nothing by it.
    const best = share <= OVER ? 'higher' : undefined;
    figures.push(
      one('facts', 'facts kept of those said', factsIn(said, outcome.text).length / said.length, 'share', best),
      one('sent', 'sent to the summarizer', outcome.spent.input / conversation, '×'),
      one('calls', 'calls', outcome.spent.calls, 'count'),
      one('context', 'context, share of the budget', share, 'share'),
      one('turnMs', 'CPU time of a turn at the end', outcome.turnMs, 'ms'),
      one('played', 'turns played', outcome.played / turns.length, 'share'),
    );
  }
  return figures;
}

/** The facts of the same session at other budgets, turn by turn. */
export async function measurePeerBudgets(context: BenchContext): Promise<Measured> {
  const { counter, say } = context;
  if (context.quick) return { figures: [] };
  const { transcript, facts } = plantFacts(syntheticSession(1_000), FACTS);
  const turns = turnsOf(transcript);
  const conversation = tokensOf(transcript, counter);
  const figures: Figure[] = [];
  const series: Series[] = [];
  for (const system of await oftenTried(context)) {
    const points: [number, number][] = [];
    for (const share of BUDGETS) {
      say(`peers: ${system.label} at ${share * 100} %`);
      const budget = Math.floor(conversation * share);
      const answer = oracle({ counter, facts, shape: system.shape });
      const { text } = await play(system, turns, { budget, counter, answer }, MOST_MS);
      const one = cells(`peers.facts.${system.id}`, {
        grid: `facts kept of ${FACTS} in 1,000 messages, turn by turn, by budget, with an oracle`,
        row: system.label,
      });
      const kept = factsIn(facts, text).length / FACTS;
      points.push([share * 100, kept]);
      const best = counter.text(text) / budget <= OVER ? 'higher' : undefined;
      const figure = one(`at${share * 100}`, `${share * 100} %`, kept, 'share', best);
      figures.push({ ...figure, ...(system.id === 'threadkeeper' && { guard: FACTS_GUARD }) });
    }
    if (PLOTTED[system.id] !== undefined) series.push({ name: PLOTTED[system.id]!, points });
  }
  const plot: Plot = {
    id: 'peers.facts',
    title: 'Planted facts kept turn by turn, by budget',
    x: '% of the tokens',
    y: `share of ${FACTS} facts`,
    series,
  };
  return { figures, plots: [plot] };
}

/** Systems of the plot, by short names that its legend has room for. */
const PLOTTED: Readonly<Record<string, string>> = {
  threadkeeper: 'Threadkeeper',
  newest: 'newest messages',
  middleware: 'LangChain, defaults',
  middlewareBest: 'LangChain, best',
  llamaIndex: 'LlamaIndex',
};

const FACTS_GUARD = { worse: 'lower', margin: 0.05, slack: 0.04 } as const;

const turnText = ({ ask, rest }: Turn): string => [ask, ...rest.map(({ text }) => text)].join('\n');
