import assert from 'node:assert/strict';
import { withoutAgentElements } from '../../../src/core/text/agent-elements.ts';

describe('text without a coding agent’s elements', () => {
  for (const [text, expected] of [
    ['Fix the <button> in a < b.', 'Fix the <button> in a < b.'],
    ['<system-reminder>\nBe nice.\n</system-reminder>\n\nFix it.', 'Fix it.'],
    ['Fix it.\n<system-reminder>Be nice.</system-reminder> Now.', 'Fix it.\n Now.'],
    ['<command-name>/clear</command-name>\n<command-args></command-args>', ''],
    ['<command-name>/review</command-name>\n<command-args>PR 7</command-args>', '/review PR 7'],
    ['<command-name>/review</command-name>\n<command-args><Form> in a < b</command-args>', '/review <Form> in a < b'],
    ['<bash-input>ls</bash-input>', ''],
    ['<system-reminder>not closed', '<system-reminder>not closed'],
    ['<system-reminder><bash-input>ls</bash-input></system-reminder>Go', 'Go'],
  ] as const) {
    it(`is ${JSON.stringify(expected)} for ${JSON.stringify(text)}`, () =>
      assert.equal(withoutAgentElements(text), expected));
  }

  it('is found in a long text of tags that are never closed', () => {
    const tags = Array.from({ length: 400_000 }, (_, at) => `<system-reminder><ide_${at}>`);
    const text = tags.join('');
    assert.equal(withoutAgentElements(text), text);
  });
});
