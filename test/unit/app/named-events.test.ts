import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Desk, fill, says } from './desk.ts';

/** Plain talk in which the detector finds nothing to keep. */
const STORY = 'What about the harbour in the old drawings, in the east?\nAnd who were the two men that tended it?';
const INVENTED = ['The lamp was red.', 'Never sail at night.', 'we paid 300 crowns'];

const answer = (events: readonly unknown[]): string =>
  JSON.stringify({ narrative: 'They went through the parts of the listing.', events });

describe('key events that a summarizer names', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await Desk.open();
  });
  afterEach(() => desk.close());

  const compressed = async (events: readonly unknown[], opening = STORY): Promise<Conversation> => {
    const conversation = await desk.converse();
    desk.summarizer = says(answer(events));
    await fill(conversation, 2, (n) => (n === 0 ? opening : 'I see.'));
    await fill(conversation, 60);
    assert.equal((await conversation.compressNow()).kind, 'committed');
    return conversation;
  };
  const named = ({ state }: Conversation): KeyEvent[] =>
    [...state.events.values()].filter((event) => event.reason === 'named by the summarizer');
  const audit = ({ state }: Conversation) => [...state.nodes.values()].find((node) => node.depth === 0)?.audit;

  it('are kept where their quote stands in the source, with the source’s own characters', async () => {
    const quote = 'the harbour in the old drawings, in the east? And who';
    const conversation = await compressed([{ kind: 'fact', quote }]);
    const [event, ...more] = named(conversation);
    assert.equal(more.length, 0);
    assert.equal(event?.quote, quote.replace('? ', '?\n'));
    const message = conversation.state.messages.get(event.message);
    assert.equal(message && messageText(message).slice(event.start, event.end), event.quote);
    assert.ok(conversation.context().system.some((block) => block.includes(event.quote)));
    assert.deepEqual(audit(conversation)?.events, { known: 1, total: 1 });
  });

  it('are dropped where they are invented, counted on the node, and the summary stands', async () => {
    const conversation = await compressed([
      ...INVENTED.map((quote) => ({ kind: 'fact', quote })),
      { kind: 'miracle', quote: 'two men that tended it' },
      { kind: 'fact', quote: 'a' },
      'no event at all',
      { kind: 'fact', quote: 'two men that tended it' },
      { kind: 'fact', quote: 'two men  that tended it' },
    ]);
    assert.deepEqual(
      named(conversation).map(({ quote }) => quote),
      ['two men that tended it'],
    );
    const found = audit(conversation);
    assert.deepEqual(found?.events, { known: 1, total: 7 });
    const unknown = found.faults.filter(({ kind }) => kind === 'unknown_event').map(({ text }) => text);
    for (const quote of INVENTED) assert.ok(unknown.includes(quote), quote);
    const sent = conversation.context().system.join('\n');
    for (const quote of INVENTED) assert.ok(!sent.includes(quote), quote);
    assert.deepEqual(
      [...conversation.state.nodes.values()].filter((node) => node.depth === 0).map(({ rung }) => rung),
      ['model'],
    );
  });

  it('yield to what was found in the same words, and take no place of what is newer', async () => {
    const conversation = await desk.converse();
    desk.summarizer = says(
      answer([
        { kind: 'preference', quote: 'use port 8401 for the gateway' },
        { kind: 'decision', quote: 'the gateway listens on 8000' },
      ]),
    );
    await fill(conversation, 2, (n) => (n === 0 ? 'As drawn, the gateway listens on 8000 here.' : 'I see.'));
    await fill(conversation, 2, (n) => (n === 0 ? 'We will use port 8401 for the gateway.' : 'Right.'));
    await fill(conversation, 60);
    await conversation.compressNow();
    assert.ok(named(conversation).every(({ quote }) => !quote.includes('8401')));
    const kept = [...conversation.state.events.values()].find(({ quote }) => quote.includes('8401'));
    assert.equal(kept?.kind, 'decision');
    assert.equal(kept.status, 'active');
  });

  it('are none of the ledger’s where events are not kept', async () => {
    const { policy } = desk.settings;
    desk.settings = { ...desk.settings, policy: { ...policy, strategy: 'summarize' } };
    const conversation = await compressed([{ kind: 'fact', quote: 'two men that tended it' }]);
    assert.equal(conversation.state.events.size, 0);
  });
});
