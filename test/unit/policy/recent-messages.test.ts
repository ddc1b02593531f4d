import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageId } from '../../../src/core/model/ids.ts';
import type { ContentBlock, Role } from '../../../src/core/model/message.ts';
import { recentStart } from '../../../src/core/policy/policy.ts';

const text = (role: Role): { id: ReturnType<typeof messageId>; role: Role; content: ContentBlock[] } => ({
  id: messageId('m'),
  role,
  content: [{ type: 'text', text: 'x' }],
});
const roles = (letters: string) =>
  Array.from(letters, (letter) => text(letter === 'u' ? 'user' : letter === 'a' ? 'assistant' : 'tool'));
const start = (letters: string, keep: number, maxTokens = Infinity): number =>
  recentStart(
    roles(letters),
    Array.from(letters, () => 1),
    { keep, maxTokens },
  );

describe('the recent messages', () => {
  it('are everything in a short session', () => {
    assert.equal(start('uaua', 10), 0);
    assert.equal(start('', 10), 0);
  });

  it('are exactly as many as the policy keeps, whoever spoke first', () => {
    assert.equal(start('ua'.repeat(10), 10), 10);
    assert.equal(start('ua'.repeat(10), 3), 17);
    assert.equal(start('ua'.repeat(10), 0), 20);
  });

  it('are one more where a call would be parted from its result', () => {
    assert.equal(start('uata'.repeat(6), 10), 13);
    assert.equal(start('uata'.repeat(6), 2), 21);
  });

  it('begin behind a complete tool result inside a turn of hundreds of messages', () => {
    const at = start(`u${'at'.repeat(100)}a`, 10);
    assert.equal(at, 191);
  });

  it('are fewer when they would not fit', () => {
    assert.equal(start('ua'.repeat(10), 10, 5), 15);
  });

  it('never begin with the result of a call that it leaves out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('ua', 'uata', 'uatta', 'at'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 30 }),
        (turns, keep, room) => {
          const letters = turns.join('');
          const at = start(letters, keep, room);
          assert.ok(at >= 0 && at <= letters.length);
          assert.ok(letters.slice(at - 1, at + 1) !== 'at', `"${letters}" cut at ${at}`);
        },
      ),
    );
  });
});
