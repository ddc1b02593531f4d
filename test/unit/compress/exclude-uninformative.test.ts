import assert from 'node:assert/strict';
import { tokensWithFraming } from '../../../src/core/compress/fitting.ts';
import { compressPreserveEvents } from '../../../src/app/public-api.ts';
import { messageText, type Role } from '../../../src/core/model/message.ts';
import { counter } from './summarize-fixtures.ts';

/** Three turns of an agent's transcript, with files shown in between. */
function session(): { role: Role; content: string }[] {
  const file = (name: string, at: number): { role: Role; content: string } => ({
    role: 'tool',
    content: [
      '<tool-use data-tool-type="read" data-tool-name="Read"><details>',
      `<summary>Tool use: **Read** ${name}</summary>`,
      '```text',
      ...Array.from(
        { length: 400 },
        (_, line) => `${line}→ // Handles error ${line} of the ${name} part ${at} at start`,
      ),
      '```',
      '</details></tool-use>',
    ].join('\n'),
  });
  return [
    {
      role: 'user',
      content: 'The ferry timetable must never show trips that are fully booked, the operators insist on it.',
    },
    { role: 'assistant', content: 'Let me look at how the timetable is put together first.' },
    file('src/timetable.ts', 1),
    { role: 'assistant', content: 'Good, I can see the loader. Now let me check the booking store:' },
    file('src/bookings.ts', 2),
    {
      role: 'assistant',
      content:
        'Fully booked trips are now left out in `visibleTrips()`. The cause was that `seatsLeft` was read before the night import had run; the import now runs at 02:30, and 14 tests pass.',
    },
    {
      role: 'user',
      content: [
        'I still see them:',
        ...Array.from({ length: 30 }, (_, n) => `07:${10 + n}:04  >> trip 8${n} · 0 left · 12.${n} KB`),
      ].join('\n'),
    },
    { role: 'assistant', content: 'I will now check the cache.' },
    file('src/cache.ts', 3),
    { role: 'tool', content: 'User has answered your questions: drop the cache for timetables altogether.' },
    {
      role: 'assistant',
      content:
        'The timetable cache kept the old trips for 900 seconds, so I removed it from `serveTimetable()` as you asked.',
    },
    {
      role: 'tool',
      content:
        'Commit 5d14d93 feat: rename visibleTrips\nCommit 8d863a3 style: format\nRemoved: 77aa001 fix: old import',
    },
    { role: 'user', content: '<command-name>/compact</command-name>' },
    { role: 'user', content: 'Rename visibleTrips to bookableTrips, that is what the operators call it.' },
    { role: 'assistant', content: 'Renamed in 6 files.' },
    { role: 'user', content: 'also log edit_format' },
    // This message's code block started in the previous message.
    {
      role: 'assistant',
      content: `\`\`\`\nNow the importer:\n\`\`\`ts\n${'const batch=Number(limit);\n'.repeat(9)}\`\`\`\nIt writes 40 trips a batch.`,
    },
    { role: 'user', content: '/add src/importer.ts' },
    {
      role: 'tool',
      content:
        'drwxr-xr-x  5 sean staff  160 Jan 25 19:08 analytics\n-rw-r--r--  1 sean staff 21320 Feb  3 07:55 parser.go',
    },
    { role: 'assistant', content: 'If you have any other questions, feel free to ask.' },
    { role: 'user', content: 'ok' },
  ];
}

describe('extraction without a model when space is tight', () => {
  it('keeps users’ messages and the outcome of each turn, not the process', async () => {
    const messages = session();
    const all = messages.reduce((sum, one) => sum + tokensWithFraming(one.content, counter), 0);
    const sent = await compressPreserveEvents(messages, Math.floor(all * 0.02), { counter, keepRecent: 1 });
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
