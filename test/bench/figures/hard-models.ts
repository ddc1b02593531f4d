import { ModelFault } from '../../../src/app/fault.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Desk } from '../../unit/app/desk.ts';
import { tokensOf } from '../compress-at-once.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { metered, type Answer } from '../models/metered.ts';
import type { Figure, Measured } from '../report/figure.ts';
import { cells } from './cells.ts';
import { playTurn, turnsOf } from '../turn-feed.ts';

const HARD: Readonly<Record<string, { readonly label: string; readonly answer: Answer }>> = {
  throwing: { label: 'a model that fails on every call', answer: () => undefined },
  empty: { label: 'a model that answers nothing', answer: () => '' },
  longer: { label: 'a model that answers more than it was given', answer: (prompt) => `${prompt}\n${prompt}` },
};

/** A session turn by turn with summarizers that are of no use: what still holds. */
export async function measureHardModels(context: BenchContext): Promise<Measured> {
  const figures: Figure[] = [];
  for (const [name, { label, answer }] of Object.entries(HARD)) {
    for (const size of context.quick ? [400] : [400, 1_000]) {
      figures.push(...(await play(name, `${label}, ${size.toLocaleString('en-US')} messages`, answer, size, context)));
    }
  }
  return { figures };
}

async function play(
  name: string,
  label: string,
  answer: Answer,
  size: number,
  { counter, say }: BenchContext,
): Promise<Figure[]> {
  const transcript = syntheticSession(size);
  const turns = turnsOf(transcript);
  say(`hard models: ${label}`);
  const desk = await Desk.open();
  try {
    const model = metered(name, counter, answer, () => new ModelFault('overloaded', 'It is down.'));
    desk.summarizer = (request, signal) => model.model.stream(request, signal);
    const conversation = await desk.converse();
    let proceeded = 0;
    let missing = 0;
    const sizes: number[] = [];
    for (const turn of turns) {
      try {
        await playTurn(desk, conversation, turn);
        proceeded++;
      } catch (error) {
        say(`a turn failed: ${String(error)}`);
      }
      desk.requests.length = 0;
      const { system, messages, total } = conversation.context();
      sizes.push(total);
      const text = [...system, ...messages.map((message) => messageText(message))].join('\n');
      for (const { quote, status } of conversation.state.events.values()) {
        if (status === 'active' && !text.includes(quote)) missing++;
      }
    }
    const { state } = conversation;
    const inflated = [...state.nodes.values()].filter(({ tokens }) => tokens.detailed >= tokens.source).length;
    const budget = conversation.budget();
    await conversation.close();
    const one = cells(`robustness.${name}${size}`, {
      grid: 'Threadkeeper turn by turn with a summarizer that is of no use',
      row: label,
    });
    const extra = model.spent.input / tokensOf(transcript, counter);
    return [
      {
        ...one('turns', 'turns that proceeded', proceeded / turns.length, 'share'),
        target: { atLeast: 1 },
        guard: { worse: 'lower', margin: 0 },
      },
      {
        ...one('extra', 'input to it against the conversation', extra, '×'),
        target: { atMost: 0.2 },
        guard: { worse: 'higher', margin: 0.2, slack: 0.01 },
      },
      { ...one('missing', 'active key events that a context lacked', missing, 'count'), target: { atMost: 0 } },
      {
        ...one('largest', 'largest context, share of the budget', Math.max(...sizes) / budget, 'share'),
        target: { atMost: 1 },
      },
      { ...one('inflated', 'summaries no shorter than their source', inflated, 'count'), target: { atMost: 0 } },
    ];
  } finally {
    await desk.close();
  }
}
