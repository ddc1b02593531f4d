import assert from 'node:assert/strict';
import { supersededEvents } from '../../../src/app/library/chat-events.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { keyEvent } from '../../support/key-events.ts';

describe('superseded key events of a chat', () => {
  const linked = (quote: string, status: KeyEvent['status'], to: KeyEvent): KeyEvent =>
    keyEvent(quote, { status, link: to.id });

  it('include repetitions of a superseded one, but not those of a current one', () => {
    const current = keyEvent('Port 8443.');
    const old = linked('Port 8080.', 'superseded', current);
    const repeated = linked('So it’s port 8080.', 'merged', old);
    const again = linked('Yes, port 8443.', 'merged', current);
    const superseded = supersededEvents([old, repeated, current, again]).map(({ event, by }) => [
      event.quote,
      by.quote,
    ]);
    assert.deepEqual(superseded, [
      ['Port 8080.', 'Port 8443.'],
      ['So it’s port 8080.', 'Port 8443.'],
    ]);
  });

  it('leave out one whose replacement isn’t in the chat anymore', () =>
    assert.deepEqual(supersededEvents([linked('Port 8080.', 'superseded', keyEvent('Port 8443.'))]), []));
});
