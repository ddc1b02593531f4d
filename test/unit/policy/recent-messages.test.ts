import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { recentStart } from '../../../src/core/policy/policy.ts';

const ROLES = { u: 'user', a: 'assistant', t: 'tool' } as const;

/** The start of the recent messages, for messages of one token each by `u`ser, `a`ssistant, and `t`ool. */
const start = (letters: string, keep: number, maxTokens = Infinity): number =>
  recentStart(
    Array.from(letters, (letter) => ({
      id: messageId('m'),
      role: ROLES[letter as keyof typeof ROLES],
      content: [{ type: 'text', text: 'x' }],
    })),
    Array.from(letters, () => 1),
    { keep, maxTokens },
  );

describe('the recent messages', () => {
  for (const [what, starts] of [
    ['are all messages of a short session', [start('uaua', 10), 0, start('', 10), 0]],
    [
      'are exactly as many as the policy keeps, whichever role comes first',
      [start('ua'.repeat(10), 10), 10, start('ua'.repeat(10), 3), 17, start('ua'.repeat(10), 0), 20],
    ],
    [
      'include one more message if a tool call would be separated from its result',
      [start('uata'.repeat(6), 10), 13, start('uata'.repeat(6), 2), 21],
    ],
    [
      'begin after a complete tool result within a turn of hundreds of messages',
      [start(`u${'at'.repeat(100)}a`, 10), 191],
    ],
    ['are fewer if they would not fit', [start('ua'.repeat(10), 10, 5), 15]],
  ] as const)
    it(what, () => {
      for (let at = 0; at < starts.length; at += 2) assert.equal(starts[at], starts[at + 1]);
    });
});
