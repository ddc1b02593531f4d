import assert from 'node:assert/strict';
import { tokensWithFraming } from '../../../src/core/compress/fitting.ts';
import { compressPreserveEvents } from '../../../src/app/public-api.ts';
import { messageText, type Role } from '../../../src/core/model/message.ts';
import { counter, grow, transcript } from './summarize-fixtures.ts';

interface Said {
  readonly role: Role;
  readonly content: string;
}
const user = (content: string): Said => ({ role: 'user', content });
const assistant = (content: string): Said => ({ role: 'assistant', content });
const tool = (content: string): Said => ({ role: 'tool', content });
const file = (name: string, at: number): Said => {
  const lines = Array.from({ length: 400 }, (_, n) => `${n}→ // Handles error ${n} of the ${name} part ${at} at start`);
  const opened = '<tool-use data-tool-type="read" data-tool-name="Read"><details>';
  const named = `<summary>Tool use: **Read** ${name}</summary>`;
  return tool([opened, named, '```text', ...lines, '```', '</details></tool-use>'].join('\n'));
};
const LOG = Array.from({ length: 30 }, (_, n) => `07:${10 + n}:04  >> trip 8${n} · 0 left · 12.${n} KB`);

const SESSION: readonly Said[] = [
  user('The ferry timetable must never show trips that are fully booked, the operators insist on it.'),
  assistant('Let me look at how the timetable is put together first.'),
  file('src/timetable.ts', 1),
  assistant('Good, I can see the loader. Now let me check the booking store:'),
  file('src/bookings.ts', 2),
  assistant(
    'Fully booked trips are now left out in `visibleTrips()`. The cause was that `seatsLeft` was read before the night import had run; the import now runs at 02:30, and 14 tests pass.',
  ),
  user(['I still see them:', ...LOG].join('\n')),
  assistant('I will now check the cache.'),
  file('src/cache.ts', 3),
  tool('User has answered your questions: drop the cache for timetables altogether.'),
  assistant(
    'The timetable cache kept the old trips for 900 seconds, so I removed it from `serveTimetable()` as you asked.',
  ),
  tool('Commit 5d14d93 feat: rename visibleTrips\nCommit 8d863a3 style: format\nRemoved: 77aa001 fix: old import'),
  user('<command-name>/compact</command-name>'),
  user('Rename visibleTrips to bookableTrips, that is what the operators call it.'),
  assistant('Renamed in 6 files.'),
  user('also log edit_format'),
  // This message's code block started in the previous message.
  assistant(
    `\`\`\`\nNow the importer:\n\`\`\`ts\n${'const batch=Number(limit);\n'.repeat(9)}\`\`\`\nIt writes 40 trips a batch.`,
  ),
  user('/add src/importer.ts'),
  tool('drwxr-xr-x  5 sean staff  160 Jan 25 19:08 analytics\n-rw-r--r--  1 sean staff 21320 Feb  3 07:55 parser.go'),
  assistant('If you have any other questions, feel free to ask.'),
  user('ok'),
];

describe('extraction without a model when space is tight', () => {
  it('keeps users’ messages and the outcome of each turn, not the process', async () => {
    const all = SESSION.reduce((sum, one) => sum + tokensWithFraming(one.content, counter), 0);
    const sent = await compressPreserveEvents(SESSION, Math.floor(all * 0.02), { counter, keepRecent: 1 });
    const text = sent.messages
      .map(({ content }) => (typeof content === 'string' ? content : messageText({ content })))
      .join('\n');
    const KEPT = [/must never show trips/, /seatsLeft/, /02:30/, /drop the cache/, /900 seconds/, /bookableTrips/];
    for (const kept of [...KEPT, /Commit 5d14d93/, /Removed: 77aa001/, /also log edit_format/, /40 trips a batch/])
      assert.match(text, kept);
    for (const left of [/[Ll]et me/, /I will now/, /command-name/, /const batch/, /\/add/, /sean/, /If you have/])
      assert.doesNotMatch(text, left);
    assert.ok(text.split('\n').filter((line) => line.includes('·')).length <= 2, 'two lines of a log');
  });
});

describe('extraction without a model from a short chat', () => {
  it('leaves out courtesies beside a statement in a script without spaces', async () => {
    const messages = transcript(
      ['user', 'こんにちは、よろしくお願いします。11月3日から箱根の旅館を予約したいです。'],
      ['assistant', 'ありがとうございます。湯本の「松の家」が一人2万3千円です。'],
      ['user', '你好！我家厨房想重新装修。'],
    );
    const { nodes } = await grow({ messages });
    const text = nodes[0]!.detailed;
    assert.match(text, /11月3日から箱根の旅館を予約したいです。\n/);
    assert.match(text, /我家厨房想重新装修。/);
    assert.doesNotMatch(text, /こんにちは|ありがとう|你好/);
  });
});
