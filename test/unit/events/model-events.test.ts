import assert from 'node:assert/strict';
import { locateModelEvents } from '../../../src/core/events/model-events.ts';
import { messageId } from '../../../src/core/model/ids.ts';

const first = { id: messageId('a'), text: 'We use\n   two spaces\tfor indentation.\nNever log secrets.' };
const second = { id: messageId('b'), text: '🎉 Never log secrets. Ship on Friday.' };

describe("a model's own list of events", () => {
  it("finds a quote by its words and keeps the source's own bytes", () => {
    const { events, dropped } = locateModelEvents(
      [{ kind: 'preference', quote: ' We use two  spaces for indentation. ' }],
      [first],
    );
    assert.deepEqual(
      events.map(({ message, event }) => [message, event.kind, event.quote]),
      [['a', 'preference', 'We use\n   two spaces\tfor indentation.']],
    );
    const [{ event } = assert.fail()] = events;
    assert.equal(first.text.slice(event.start, event.end), event.quote);
    assert.deepEqual(dropped, []);
  });

  it('takes the newest message that says it', () => {
    const { events } = locateModelEvents([{ kind: 'constraint', quote: 'Never log secrets.' }], [first, second]);
    assert.equal(events[0]?.message, 'b');
    assert.equal(second.text.slice(events[0].event.start, events[0].event.end), 'Never log secrets.');
  });

  it('drops and counts what the source does not say', () => {
    const { events, dropped } = locateModelEvents(
      [
        { kind: 'decision', quote: 'Ship on Monday.' },
        { kind: 'decision', quote: 'ship on friday.' },
        { kind: 'miracle', quote: 'Ship on Friday.' },
        { kind: 'fact', quote: 'on' },
        { kind: 'decision', quote: 'Ship on Friday.' },
        { kind: 'fact', quote: 'Ship  on Friday.' },
      ],
      [first, second],
    );
    assert.deepEqual(
      events.map(({ event }) => event.quote),
      ['Ship on Friday.'],
    );
    assert.deepEqual(
      dropped.map(({ quote, why }) => [quote, why]),
      [
        ['Ship on Monday.', 'not_found'],
        ['ship on friday.', 'not_found'],
        ['Ship on Friday.', 'unknown_kind'],
        ['on', 'too_short'],
        ['Ship  on Friday.', 'repeated'],
      ],
    );
  });
});
