import assert from 'node:assert/strict';
import { ChangeFault, correctEvent, correctQuote, markEventWrong, pinQuote } from '../../../src/app/summary-changes.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { keyEventId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { fillAndCompress, Harness } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const MESSAGE_TEXT = 'We will use port 8401 for the gateway. The old one was taken.';

describe('key event that the user corrects', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  const compressed = async (said = MESSAGE_TEXT): Promise<Conversation> => {
    const conversation = await harness.filled(2, (n) => (n === 0 ? said : 'All right.'));
    await fillAndCompress(conversation, 60);
    return conversation;
  };
  const found = ({ state }: Conversation, words: string): KeyEvent =>
    [...state.events.values()].find((event) => event.quote.includes(words)) ?? assert.fail(`not found: ${words}`);
  const ledger = (conversation: Conversation): string =>
    conversation
      .context()
      .system.filter((block) => block.startsWith('<key_events-'))
      .join('\n');

  it('is sent with its new kind and range, even after compressions and a restart', async () => {
    let conversation = await compressed();
    const { id, kind } = found(conversation, 'port 8401');
    assert.equal(kind, 'decision');
    await correctEvent(conversation.journal, id, { kind: 'configuration', end: MESSAGE_TEXT.length });
    assert.match(ledger(conversation), /configuration\W.*The old one was taken\./);
    await fillAndCompress(conversation, 60);
    conversation = await harness.restart(conversation);
    const { quote, found: before } = found(conversation, 'port 8401');
    assert.equal(quote, MESSAGE_TEXT);
    assert.equal(before?.kind, 'decision');
    assert.match(ledger(conversation), /configuration\W.*The old one was taken\./);
  });

  it('is sent with its speaker’s name as long as it starts where it was found', async () => {
    const rule = 'Never book a hotel above 90 euros.';
    const said = `Karim: Nice to see you all again. ${rule}\n${rule}`;
    const conversation = await compressed(said);
    const { id, start, end } = found(conversation, rule);
    const line = (): string => /^- .*Never book.*$/m.exec(ledger(conversation))?.[0] ?? '';
    assert.match(line(), /\] Karim: … Never book/);
    await correctEvent(conversation.journal, id, { kind: 'decision' });
    assert.match(line(), /^- \[decision, .*\] Karim: … Never book/);
    await correctEvent(conversation.journal, id, { start: said.lastIndexOf(rule), end: said.length });
    assert.match(line(), /\] Never book/);
    await correctEvent(conversation.journal, id, { start, end });
    assert.match(line(), /\] Karim: … Never book/);
  });

  it('is added from a selection with the name of whoever says it in a chat of several people', async () => {
    const rule = 'The hotel has to be near the station.';
    const said = `Karim: Nice to see you all again. ${rule}\nAna: And quiet.`;
    const conversation = await harness.filled(2, (n) => (n === 0 ? said : `Karim: ${rule}`));
    const { journal, state } = conversation;
    const [asked, answered] = state.path;
    assert.ok(asked && answered);
    const place = {
      kind: 'fact',
      start: said.indexOf(rule),
      end: said.indexOf(rule) + rule.length,
      quote: rule,
    } as const;
    await pinQuote(journal, { ...place, id: keyEventId('in the middle'), message: asked });
    await pinQuote(journal, {
      ...place,
      id: keyEventId('all'),
      message: asked,
      start: 0,
      end: said.length,
      quote: said,
    });
    const start = 'Karim: '.length;
    const end = start + rule.length;
    await pinQuote(journal, { ...place, id: keyEventId('reply'), message: answered, start, end });
    const speakers = ['in the middle', 'all', 'reply'].map((id) => state.events.get(keyEventId(id))?.speaker);
    assert.deepEqual(speakers, ['Karim:', undefined, undefined]);
  });

  it('leaves the context when marked wrong, and returns when unmarked', async () => {
    const conversation = await compressed();
    const { id, quote } = found(conversation, 'port 8401');
    await markEventWrong(conversation.journal, id, true);
    assert.ok(!ledger(conversation).includes(quote));
    await markEventWrong(conversation.journal, id, false);
    assert.ok(ledger(conversation).includes(quote));
  });

  it('trims white space, and rejects invalid ranges and unknown events', async () => {
    const conversation = await compressed(
      'We will use port 8401 for the gateway.   \n  The 😀 was taken. Nobody minds.',
    );
    const { journal, state } = conversation;
    const { id, start, quote } = found(conversation, 'port 8401');
    await correctEvent(journal, id, { end: start + quote.length + 4 });
    assert.equal(state.events.get(id)?.quote, quote);
    const smile = 'We will use port 8401 for the gateway.   \n  The '.length;
    for (const [from, to] of [
      [-1, 5],
      [0, 1000],
      [start + quote.length, start + quote.length + 2],
      [7, 3],
      [0, smile + 1],
    ] as const)
      await assert.rejects(correctEvent(journal, id, { start: from, end: to }), (error) =>
        ChangeFault.is(error, 'no_words'),
      );
    const gone = keyEventId('gone');
    await assert.rejects(markEventWrong(journal, gone, true), (error) => ChangeFault.is(error, 'unknown_event'));
  });

  it('finds its new quote at its current position, not at an earlier occurrence', async () => {
    const before = 'The other port 8401 was free last week. ';
    const conversation = await compressed(`${before}${MESSAGE_TEXT}`);
    const { journal, state } = conversation;
    const { id } = found(conversation, 'We will use port 8401');
    await correctQuote(journal, id, ' port 8401 ');
    assert.deepEqual(
      [state.events.get(id)?.quote, state.events.get(id)?.start],
      ['port 8401', before.length + 'We will use '.length],
    );
    await correctQuote(journal, id, 'free last week');
    assert.equal(state.events.get(id)?.start, 'The other port 8401 was '.length);
    await assert.rejects(correctQuote(journal, id, 'port 9999'), (error) => ChangeFault.is(error, 'no_words'));
  });
});
