import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keyEventsOf } from '../../../src/app/library/chat-events.ts';
import { droppedEvents, type DroppedGroup } from '../../../src/app/library/dropped-events.ts';
import { runSynchronously } from '../../../src/core/pace/steps.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { readTranscript } from '../../support/read-transcript.ts';
import { SHARED_DATA } from '../../support/test-data.ts';

const user = (text: string): TranscriptMessage => ({ role: 'user', text });
const dropped = (...args: Parameters<typeof droppedEvents>): readonly DroppedGroup[] =>
  runSynchronously(droppedEvents(...args));
const quotes = (...args: Parameters<typeof droppedEvents>): string[] =>
  dropped(...args).flatMap(({ events }) => events.map(({ quote }) => quote));

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));

describe('the list of key events dropped by a tool’s own compaction', () => {
  const before = [
    user('We decided to use PostgreSQL 16 for the bookings database.'),
    user('Never commit directly to the main branch.'),
    user('I prefer tabs over spaces in this repository.'),
  ];

  it('contains key events that the summary lacks, with their positions', () => {
    const groups = dropped(before, 'The bookings database uses PostgreSQL 16, as was decided.');
    const lost = groups.flatMap(({ events }) => events);
    assert.deepEqual(lost.map(({ message, quote }) => [message, before[message]!.text.includes(quote)]).sort(), [
      [1, true],
      [2, true],
    ]);
  });

  it('omits key events that the summary paraphrases with the same identifiers and numbers', () => {
    const said = [user('We decided that `retryLimit` in src/http/client.ts must stay at 5 for all upload requests.')];
    assert.deepEqual(quotes(said, '- Upload requests keep `retryLimit` 5 (src/http/client.ts)'), []);
    for (const other of ['retryDelay', 'src/http/server.ts', '7']) {
      const summary = '- Upload requests keep `retryLimit` 5 (src/http/client.ts)';
      const changed = summary.replace(
        other === '7' ? '5' : other === 'retryDelay' ? 'retryLimit' : 'src/http/client.ts',
        other,
      );
      assert.equal(quotes(said, changed).length, 1, changed);
    }
  });

  it('takes a long summary line into account to its end', () => {
    const filler = Array.from({ length: 60 }, (_, index) => `topic${index}`).join(' ');
    assert.deepEqual(
      quotes([before[1]!], `They spoke of ${filler}, and never to commit directly to the main branch.`),
      [],
    );
  });

  it('omits key events that the summary or a later message contains', () => {
    const summary =
      'PostgreSQL 16 is the database for bookings.\nThe user prefers tabs over spaces in this repository.';
    assert.deepEqual(quotes(before, summary, [user('Again: never commit directly to the main branch!')]), []);
  });

  it('contains a key event if the summary states a different number', () => {
    assert.ok(quotes(before, 'The bookings database uses PostgreSQL 15.').some((quote) => quote.includes('16')));
    assert.ok(!quotes(before, 'The bookings database uses PostgreSQL 16.').some((quote) => quote.includes('16')));
  });

  it('contains all key events in at most 40 groups of neighbors, most important first', () => {
    const many = Array.from({ length: 120 }, (_, index) =>
      user(`We decided to name the table for part ${index} “part_${index}_rows”.`),
    );
    const groups = dropped(many, 'Nothing of note.');
    assert.equal(groups.length, 40);
    assert.equal(groups.flatMap(({ events }) => events).length, 120);
    const byPlace = [...groups].sort((a, b) => a.from - b.from);
    for (const [index, { from, to, events }] of byPlace.entries()) {
      assert.ok(index === 0 || byPlace[index - 1]!.to < from);
      assert.ok(events.every(({ message }) => from <= message && message <= to));
    }
    const importance = groups.map(({ events }) => events[0]!.importance);
    const expected = [...importance].sort((a, b) => b - a);
    assert.deepEqual(importance, expected);
  });

  it('yields after each message, each line of later messages, each key event, and each merge of groups', () => {
    const many = Array.from({ length: 60 }, (_, n) => user(`We decided to use the port ${n + 2000} for service${n}.`));
    const later = Array.from({ length: 30 }, () => user('Then they went on.\nThen they had tea.'));
    const steps = droppedEvents(many, 'They spoke of ports.', later);
    let rests = 0;
    let lost: IteratorResult<unknown, readonly DroppedGroup[]>;
    while (!(lost = steps.next()).done) rests++;
    const [groups, events] = [lost.value, lost.value.flatMap((group) => group.events)];
    assert.ok(events.length > 50, String(events.length));
    const wanted = many.length + 2 * later.length + events.length + (events.length - groups.length);
    assert.ok(rests >= wanted, `${rests} of ${wanted}`);
  });

  it('keeps the decisions of one exchange in one group', () => {
    const talk: TranscriptMessage[] = [
      ...before,
      { role: 'assistant', text: 'The staging server runs on port 8443.' },
      user('Thanks.'),
      ...Array.from({ length: 12 }, (): TranscriptMessage => ({ role: 'assistant', text: 'Working on it.' })),
      user('We decided to deploy on Tuesdays only.'),
      { role: 'assistant', text: 'The deploy script must never run on Fridays.' },
    ];
    const places = dropped(talk, 'Nothing of note.').map(({ from, to }) => [from, to]);
    assert.ok(places.some(([from]) => from === 17) && places.every(([from, to]) => from! >= 17 || to! <= 3));
  });

  it('omits key events that real compactions carried over, and has at most 40 groups', function () {
    const refs = path.join(SHARED_DATA, 'continuation_refs.json');
    if (!existsSync(refs)) {
      console.log(`      skipped: no transcripts at ${SHARED_DATA}`);
      this.skip();
    }
    const sessions = JSON.parse(readFileSync(refs, 'utf8')) as { src: string; boundary: number; quotes: string[] }[];
    for (const { src, boundary, quotes: carried } of sessions) {
      const { transcript } = readTranscript(readFileSync(path.join(SHARED_DATA, 'dev', src), 'utf8'));
      const summary = transcript[boundary]!.text;
      // The tool's notes for its summary belong to the compaction.
      const earlier = transcript.slice(0, boundary).filter(({ text }) => !text.startsWith('<analysis>'));
      const after = transcript.slice(boundary + 1);
      const groups = dropped(earlier, summary, after);
      const lost = groups.flatMap(({ events }) => events);
      console.log(
        `      ${src}: ${lost.length} key events of ${boundary} messages dropped, in ${groups.length} entries`,
      );
      assert.ok(lost.length > 0 && groups.length <= 40, `${groups.length}`);
      // Everything else occurs in the summary or a later message.
      const listed = new Set(lost.map(({ quote }) => quote));
      const told = wordsOf([summary, ...after.map(({ text }) => text)].join('\n'));
      for (const { quote, importance, status } of runSynchronously(keyEventsOf(earlier))) {
        if (importance < 2 || status !== 'active' || listed.has(quote)) continue;
        const words = [...wordsOf(quote)];
        assert.ok(words.filter((word) => told.has(word)).length >= words.length * 0.6, quote);
      }
      for (const { quote, message } of lost) {
        assert.ok(transcript[message]!.text.includes(quote));
        assert.ok(!summary.includes(quote), quote);
        assert.ok(!carried.some((one) => one.includes(quote) || quote === one), quote);
      }
    }
  });
});
