import assert from 'node:assert/strict';
import { FAULT_REASONS, ModelFault } from '../../../src/app/fault.ts';
import { describeFault } from '../../../src/app/fault-text.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';

describe('the user-facing text of a fault', () => {
  for (const reason of FAULT_REASONS) {
    it(`has two or three sentences and an action for ${reason}`, () => {
      const { message, action } = describeFault(new ModelFault(reason, 'x'));
      assert.match(inEnglish(message), /^([A-Z]([^.]|\.(?=\w))+\.( |$)){2,3}$/);
      assert.ok(action !== undefined);
    });
  }

  it('says when to try again', () => {
    const wait = (retryAfterMs: number) =>
      inEnglish(describeFault(new ModelFault('rate_limited', 'x', { retryAfterMs })).message);
    assert.match(wait(800), /in 1 second\./);
    assert.match(wait(30_000), /in 30 seconds\./);
    assert.match(wait(600_000), /in 10 minutes\./);
    assert.match(wait(7_200_000), /in 2 hours\./);
    assert.match(wait(259_200_000), /in 3 days\./);
  });
});
