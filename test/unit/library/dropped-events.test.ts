import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { droppedEvents } from '../../../src/app/library/dropped-events.ts';
import { atOnce } from '../../../src/core/pace/steps.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { readTranscript } from '../../../src/core/transcript/transcript-reader.ts';

const DATA = path.resolve(import.meta.dirname, '../../../', process.env['THREADKEEPER_DATA'] ?? '../shared/data');

const user = (text: string): TranscriptMessage => ({ role: 'user', text });
const quotes = (...args: Parameters<typeof droppedEvents>): string[] =>
  atOnce(droppedEvents(...args)).events.map(({ quote }) => quote);

describe('what a tool’s own compaction dropped', () => {
  const before = [
    user('We decided to use PostgreSQL 16 for the bookings database.'),
    user('Never commit directly to the main branch.'),
    user('I prefer tabs over spaces in this repository.'),
  ];

  it('lists key events that the summary lacks, with their places', () => {
    const { events: lost } = atOnce(droppedEvents(before, 'The bookings database uses PostgreSQL 16, as was decided.'));
    assert.deepEqual(lost.map(({ message, quote }) => [message, before[message]!.text.includes(quote)]).sort(), [
      [1, true],
      [2, true],
    ]);
  });

  it('lists nothing that the summary or a later message says', () => {
    const summary =
      'PostgreSQL 16 is the database for bookings.\nThe user prefers tabs over spaces in this repository.';
    assert.deepEqual(quotes(before, summary, [user('Again: never commit directly to the main branch!')]), []);
  });

  it('is not fooled by another number', () => {
    assert.ok(quotes(before, 'The bookings database uses PostgreSQL 15.').some((quote) => quote.includes('16')));
    assert.ok(!quotes(before, 'The bookings database uses PostgreSQL 16.').some((quote) => quote.includes('16')));
  });

  it('lists at most 40, the most important first', () => {
    const many = Array.from({ length: 120 }, (_, index) =>
      user(`We decided to name the table for part ${index} “part_${index}_rows”.`),
    );
    const { events: lost, total } = atOnce(droppedEvents(many, 'Nothing of note.'));
    assert.deepEqual([lost.length, total], [40, 120]);
    const importance = lost.map((event) => event.importance);
    assert.deepEqual(
      importance,
      [...importance].sort((a, b) => b - a),
    );
  });

  it('holds on the real compactions: nothing that the summary carried on, at most 40', function () {
    const refs = path.join(DATA, 'continuation_refs.json');
    if (!existsSync(refs)) {
      console.log(`      skipped: no transcripts at ${DATA}`);
      this.skip();
    }
    const sessions = JSON.parse(readFileSync(refs, 'utf8')) as { src: string; boundary: number; quotes: string[] }[];
    for (const { src, boundary, quotes: carried } of sessions) {
      const { transcript } = readTranscript(readFileSync(path.join(DATA, 'dev', src), 'utf8'));
      const summary = transcript[boundary]!.text;
      // The tool's notes for its summary are part of the compaction.
      const earlier = transcript.slice(0, boundary).filter(({ text }) => !text.startsWith('<analysis>'));
      const { events: lost, total } = atOnce(droppedEvents(earlier, summary, transcript.slice(boundary + 1)));
      console.log(`      ${src}: ${total} key events of ${boundary} messages dropped, ${lost.length} listed`);
      assert.ok(lost.length > 0 && lost.length <= 40, `${lost.length}`);
      for (const { quote, message } of lost) {
        assert.ok(transcript[message]!.text.includes(quote));
        assert.ok(!summary.includes(quote), quote);
        assert.ok(!carried.some((one) => one.includes(quote) || quote === one), quote);
      }
    }
  });
});
