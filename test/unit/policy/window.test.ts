import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageId } from '../../../src/core/model/ids.ts';
import type { ContentBlock, Role } from '../../../src/core/model/message.ts';
import { windowStart } from '../../../src/core/policy/window.ts';

const text = (role: Role): { id: ReturnType<typeof messageId>; role: Role; content: ContentBlock[] } => ({
  id: messageId('m'),
  role,
  content: [{ type: 'text', text: 'x' }],
});
const roles = (letters: string) =>
  Array.from(letters, (letter) => text(letter === 'u' ? 'user' : letter === 'a' ? 'assistant' : 'tool'));
const start = (letters: string, keep: number, maxTokens = Infinity): number =>
  windowStart(
    roles(letters),
    Array.from(letters, () => 1),
    { keep, maxTokens },
  );

describe('the window', () => {
  it('is everything in a short session', () => {
    assert.equal(start('uaua', 10), 0);
    assert.equal(start('', 10), 0);
  });

  it('keeps the newest ten when they begin with a turn', () => {
    assert.equal(start('ua'.repeat(10), 10), 10);
  });

  it('begins at a turn, keeping rather more than fewer', () => {
    assert.equal(start('uata'.repeat(6), 10), 12);
  });

  it('begins behind a complete tool result inside a turn of hundreds of messages', () => {
    const at = start(`u${'at'.repeat(100)}a`, 10);
    assert.equal(at, 191);
  });

  it('moves to newer messages when it would not fit', () => {
    assert.equal(start('ua'.repeat(10), 10, 5), 16);
  });

  it('never begins with the result of a call that it leaves out', () => {
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
