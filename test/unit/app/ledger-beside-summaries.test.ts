import assert from 'node:assert/strict';
import type { CompressionTarget } from '../../../src/app/compression-job.ts';
import { fitLedgerInBatches } from '../../../src/app/fit-ledger.ts';
import { InMemorySession } from '../../../src/app/in-memory-session.ts';
import { renderEvent } from '../../../src/core/context/render-context.ts';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { messageId, nodeId, type MessageId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { MessageLog } from '../../../src/core/state/branches.ts';
import { MessageCounts } from '../../../src/core/tokens/message-counts.ts';
import { keyEvent } from '../../support/key-events.ts';
import { jsonLines } from '../../support/test-data.ts';
import { counter, message } from '../compress/summarize-fixtures.ts';
import { askedIn, summarizing } from './summarizing.ts';

const CHAT = jsonLines<{ readonly role: Role; readonly content: string }>(
  new URL('../../fixtures/short-chats/bookkeeping-de.jsonl', import.meta.url),
);

interface Options {
  readonly chat?: readonly { readonly role: Role; readonly content: string }[];
  readonly target?: CompressionTarget;
}

/** The quotes in the ledger after the chat was compressed once, and what the model was shown. */
async function compressed(answer: (record: string, words: number) => string, { chat = CHAT, target }: Options = {}) {
  let record = '';
  const model = summarizing((prompt) => {
    const asked = askedIn(prompt);
    ({ record } = asked);
    return JSON.stringify({ narrative: answer(record, asked.words) });
  });
  const policy = resolvePolicy('frugal');
  const session = new InMemorySession({ policy, budget: 100_000, counter, preset: 'advisory', model });
  for (const [at, { role, content }] of chat.entries()) {
    if (session.state.compressions.length > 0) break;
    if (target) session.add(message(at, role, content));
    else await session.receive(message(at, role, content));
  }
  if (target) await session.compress(target);
  const quotes = [...session.state.events.values()].filter(({ status }) => status === 'active').map((one) => one.quote);
  return { quotes, shown: quotes.filter((quote) => record.includes(quote)) };
}

/** A summary in note form: each meaningful word of the record once. */
const inNoteForm = (record: string, words: number): string =>
  [...new Set(record.split(/[\s:]+/).filter((word) => /\d|\p{Lu}/u.test(word)))].slice(0, words).join(' ');

describe('ledger beside summaries written by a model', () => {
  it('quotes what the model wasn’t shown rather than what its summary says', async () => {
    const { quotes, shown } = await compressed(inNoteForm);
    assert.ok(quotes.some((quote) => quote.includes('Herr Wimmer, hat 1.400 im Jahr gekostet')));
    assert.ok(shown.length <= quotes.length / 2, `${shown.length} of ${quotes.length} quotes were shown`);
  });

  it('quotes what is most important again once the summary was undone, edited, or merged', async () => {
    const ledger = new Ledger();
    const [first, second] = ['We use port 8401.', 'We only open port 9302 there.'].map((quote, at) =>
      keyEvent(quote, {
        message: messageId(`m${at}`),
        importance: at === 0 ? 3 : 2,
        status: at === 0 ? 'dropped' : 'active',
      }),
    ) as [KeyEvent, KeyEvent];
    for (const event of [first, second]) ledger.restore({ ...event, status: 'active' });
    const room = Math.ceil((counter.text(renderEvent(first, 0, 'user')) + 2) / 0.8);
    const chosen = async (
      summarized: number | undefined,
      node?: SummaryNode,
      spareTokens = 0,
    ): Promise<readonly string[]> => {
      const events = [{ ...first, summarized }, second].map((event) => [event.id, event] as const);
      const frontier = node ? [{ node, from: 0, to: 1 }] : [];
      const state = { frontier, levels: new Map(), events: new Map(events), messages: new MessageLog() };
      const positionOf = (message: MessageId): number => Number(message.slice(1));
      const job = { budget: room * 4, counts: new MessageCounts(counter), settings: { policy: { ledgerShare: 0.25 } } };
      const newlyCovered = new Set(node ? [] : [0, 1]);
      const changes = { newlyCovered, updated: new Map(), coveredTokens: room * 4, ...(node && { spareTokens }) };
      const fitted = await fitLedgerInBatches(
        { ...job, state: { ...state, positionOf } },
        ledger,
        changes,
        new CancellableYielder(),
      );
      return fitted.map(({ quote, status }) => `${quote} ${status}`);
    };
    assert.deepEqual(await chosen(undefined), []);
    const important = ['We use port 8401. active', 'We only open port 9302 there. dropped'];
    assert.deepEqual(await chosen(0.8), important);
    const written = {
      ...nodeWith({ id: nodeId('n'), first: messageId('m0'), last: messageId('m1'), messages: 2 }),
      rung: 'model',
    } as const;
    assert.deepEqual(await chosen(0.8, written), []);
    assert.deepEqual(await chosen(0.8, { ...written, rung: 'edited' }), important);
    const merged = { ...written, children: [nodeId('a'), nodeId('b')] };
    assert.deepEqual(await chosen(0.8, merged), important);
    // With little room to grow, not all entries are examined at every compression.
    assert.deepEqual(await chosen(0.8, merged, 30), []);
  });

  it('quotes what is most important within a target, whose ledger is a result by itself', async () => {
    const { quotes, shown } = await compressed(inNoteForm, {
      target: { targetTokens: 2_600, keep: 10, recentTokens: 400 },
    });
    assert.ok(quotes.length > 4);
    assert.ok(shown.length > quotes.length / 2, `${shown.length} of ${quotes.length} quotes were shown`);
  });

  it('grows into what a short summary leaves, also in a chat too short for a ledger beside a longer one', async () => {
    const said = [
      'I need a dentist appointment for my son Leo, he is nine years old.',
      'IMPORTANT: Leo is allergic to penicillin.',
      'We decided to use the slot at 16:30 on Tuesday 5 May.',
      'Never call me at work, only by e-mail: leo.mum@example.org.',
    ];
    const replies = ['Noted.', 'Thank you for telling us.', 'Great.', 'Understood.'];
    const talk = Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: (at % 2 === 0 ? said : replies)[(at - (at % 2)) / 2] ?? (at % 2 === 0 ? 'And is there a lift?' : 'Yes.'),
    }));
    const { quotes } = await compressed(() => 'They discussed a visit.', { chat: talk });
    const missing = said.slice(1).filter((quote) => !quotes.includes(quote));
    assert.deepEqual(missing, []);
  });

  it('quotes what is most important if the summary is vague', async () => {
    const { quotes, shown } = await compressed(() => 'Über die Buchhaltung eines Ladens wurde gesprochen.');
    assert.ok(quotes.some((quote) => quote.includes('maximal 25 Euro im Monat')));
    assert.ok(shown.length > quotes.length / 2, `${shown.length} of ${quotes.length} quotes were shown`);
  });
});
