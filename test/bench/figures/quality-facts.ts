import { messageText } from '../../../src/core/model/message.ts';
import { Harness } from '../../unit/app/harness.ts';
import { compressAtOnce, sentText, systemsFor, tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { factsIn, plantFacts, type Fact } from '../data/facts.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { metered, type Answer } from '../models/metered.ts';
import { oracle } from '../models/oracle.ts';
import { blocksOf, PrefixMeter } from '../prefix-meter.ts';
import { figure, type Figure, type Measured, type Plot } from '../report/figure.ts';
import { playTurn, turnsOf } from '../turn-feed.ts';

const FACTS = 50;
const BUDGETS = [0.02, 0.05, 0.1, 0.2, 0.3];
const TARGET_SHARE = 0.2;
/** Tokens of a common context window, without the reply. */
const MAX_BUDGET = 124_000;
const guard = { worse: 'lower', margin: 0.05, slack: 0.04 } as const;

/** Plants facts without keywords in a synthetic session, and counts those in the final context. */
export async function measureFacts(context: BenchContext): Promise<Measured> {
  const { counter, print, quick } = context;
  const { transcript, facts } = plantFacts(syntheticSession(1_000), FACTS);
  const before = tokensOf(transcript, counter);
  const figures: Figure[] = [];
  const series: { name: string; points: [number, number][] }[] = [];
  for (const { id, name, sent } of systemsFor(transcript, facts, counter)) {
    const points: [number, number][] = [];
    for (const budget of BUDGETS) {
      print(`facts at ${budget * 100} %, ${name}`);
      const kept = shareOf(facts, await sent(Math.floor(before * budget)));
      points.push([budget * 100, kept]);
      figures.push({
        id: `quality.facts.at${budget * 100}.${id}`,
        label: `${FACTS} facts in 1,000 messages at ${budget * 100} %, ${name}`,
        value: kept,
        unit: 'share',
        cell: {
          grid: `${FACTS} facts in 1,000 messages, compressed at once, by budget`,
          row: name,
          column: `${budget * 100} %`,
          best: 'higher',
        },
        ...(id === 'oracle' && budget === TARGET_SHARE && { target: { atLeast: 0.95 } }),
        ...(id !== 'newest' && { guard }),
      });
    }
    series.push({ name, points });
  }
  const forgetful = metered('oracle', counter, oracle({ counter, facts, keeps: 0.9 }));
  const decayed = await compressAtOnce(transcript, Math.floor(before * TARGET_SHARE), counter, forgetful);
  figures.push(
    figure(
      'quality.facts.at20.decay',
      `${FACTS} facts in 1,000 messages at 20 %, each fact survives a call with 0.9`,
      shareOf(facts, sentText(decayed)),
      'share',
      { target: { atLeast: 0.95 }, guard },
    ),
  );
  figures.push(...(await grown(1_000, context)));
  if (!quick) figures.push(...(await grown(10_000, context)));
  const plot: Plot = {
    id: 'quality.facts',
    title: 'Planted facts kept, by budget',
    x: '% of the tokens',
    y: 'share of 50 facts',
    series,
  };
  return { figures, plots: [plot] };
}

const shareOf = (facts: readonly Fact[], text: string): number => factsIn(facts, text).length / facts.length;

/** The same session turn by turn with the default policy; a request may use a fifth of the session's tokens. */
async function grown(count: number, { counter, print }: BenchContext): Promise<Figure[]> {
  const { transcript, facts } = plantFacts(syntheticSession(count), FACTS);
  const before = tokensOf(transcript, counter);
  const thousands = count.toLocaleString('en-US');
  const figures: Figure[] = [];
  for (const { name, keeps, label } of [
    { name: 'oracle', keeps: 1, label: `${FACTS} facts in ${thousands} messages, turn by turn, with an oracle model` },
    { name: 'decay', keeps: 0.9, label: `the same in ${thousands}, each fact survives a call with 0.9` },
    { name: 'local', keeps: undefined, label: `the same in ${thousands}, without a model` },
  ]) {
    print(`facts turn by turn, ${count} messages, ${name}`);
    await using harness = await Harness.open();
    const shown = new Set<string>();
    if (keeps !== undefined) {
      const answer = oracle({ counter, facts, keeps });
      const shows: Answer = (prompt, maxTokens) => {
        for (const { text } of factsIn(facts, prompt)) shown.add(text);
        return answer(prompt, maxTokens);
      };
      const model = metered(name, counter, shows);
      harness.summarizer = (request, signal) => model.model.stream(request, signal);
    }
    const { reservedTokens } = harness.settings;
    const budget = Math.min(MAX_BUDGET, Math.floor(before * TARGET_SHARE));
    harness.settings = { ...harness.settings, contextWindow: budget + reservedTokens };
    const conversation = await harness.converse();
    const prefix = new PrefixMeter(counter);
    for (const turn of turnsOf(transcript)) {
      await playTurn(harness, conversation, turn);
      for (const request of harness.requests.splice(0)) prefix.add(blocksOf(request));
    }
    const { system, messages, total } = conversation.context();
    const text = [...system, ...messages.map((message) => messageText(message))].join('\n');
    await conversation.close();
    const id = `quality.facts.turns${count}.${name}`;
    figures.push(figure(id, label, shareOf(facts, text), 'share', { target: { atLeast: 0.95 }, guard }));
    if (name !== 'oracle') continue;
    const share = (part: string, what: string, value: number, more: Pick<Figure, 'target' | 'guard'>): Figure =>
      figure(`quality.facts.turns${count}.${part}`, what, value, 'share', more);
    figures.push(
      share('shown', 'of these facts, those that the model was shown at all', shown.size / facts.length, { guard }),
      share('reduction', `reduction of that session`, 1 - total / before, { target: { atLeast: 0.8 } }),
      share('prefix', `unchanged start of a request in that session, mean share`, prefix.meanShare, {
        ...(count >= 10_000 && { target: { atLeast: 0.97 } }),
        guard: { worse: 'lower', margin: 0.01 },
      }),
    );
  }
  return figures;
}
