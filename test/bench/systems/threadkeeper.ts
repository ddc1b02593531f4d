import { ModelFault } from '../../../src/app/fault.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Desk } from '../../unit/app/desk.ts';
import { metered } from '../models/metered.ts';
import { playTurn } from '../turn-feed.ts';
import type { Given, Kept, System } from './system.ts';

/** This product under its default policy, with a real journal on disk. */
export const threadkeeper: System = {
  id: 'threadkeeper',
  label: 'Threadkeeper',
  asks: true,
  shape: 'json',
  // The request that is sent within it.
  assemblesInTurn: true,
  open: (given) => keep(given, true),
};

/** The same where there is no model to summarize: all is chosen by code. */
export const threadkeeperByCode: System = {
  ...threadkeeper,
  id: 'threadkeeperByCode',
  label: 'Threadkeeper, with no model',
  asks: false,
  open: (given) => keep(given, false),
};

async function keep({ budget, counter, answer }: Given, asks: boolean): Promise<Kept> {
  const desk = await Desk.open();
  const { model, spent } = metered('bench', counter, answer, () => new ModelFault('overloaded', 'It is down.'));
  if (asks) desk.summarizer = (request, signal) => model.stream(request, signal);
  desk.settings = { ...desk.settings, contextWindow: budget + desk.settings.reservedTokens };
  const conversation = await desk.converse();
  return {
    spent,
    async turn(turn) {
      await playTurn(desk, conversation, turn);
      desk.requests.length = 0;
    },
    context() {
      const { system, messages } = conversation.context();
      return Promise.resolve([...system, ...messages.map((message) => messageText(message))].join('\n'));
    },
    async close() {
      await conversation.close();
      await desk.close();
    },
  };
}
