import assert from 'node:assert/strict';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { compileRule } from '../../../src/core/events/user-rules.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import type { CompiledRule, UserRule } from '../../../src/core/events/user-rules.ts';

const compiled = async (rule: UserRule): Promise<CompiledRule> => {
  const result = await compileRule(rule);
  assert.ok(result.ok);
  return result.rule;
};

describe('user rule', () => {
  it('matches the sentence that contains a phrase, ignoring case and spacing', async () => {
    const rules = [await compiled({ kind: 'fact', phrase: 'project  falcon' })];
    const text = 'Hello. What about Project\tFalcon today? Bye.';
    const found = detectEvents({ role: 'assistant', text }, { rules }).map(({ kind, quote, score, reason }) => [
      kind,
      quote,
      score,
      reason,
    ]);
    assert.deepEqual(found, [['fact', 'What about Project\tFalcon today?', 1, 'rule “project  falcon”']]);
  });

  it('overrides the detector’s result for the same sentence', async () => {
    const rules = [await compiled({ kind: 'fact', pattern: String.raw`never\b` })];
    const events = detectEvents({ role: 'user', text: 'Never log secrets. Always use tabs.' }, { rules });
    const kinds = events.map(({ kind, quote }) => [kind, quote]);
    assert.deepEqual(kinds, [
      ['fact', 'Never log secrets.'],
      ['preference', 'Always use tabs.'],
    ]);
  });

  it('treats the characters of a phrase literally', async () => {
    const rules = [await compiled({ kind: 'fact', phrase: 'a.b (c)*' })];
    assert.equal(detectEvents({ role: 'tool', text: 'xx a.b (c)* yy' }, { rules }).length, 1);
    assert.equal(detectEvents({ role: 'tool', text: 'xx aXb c yy' }, { rules }).length, 0);
  });

  it('rejects patterns that are invalid or cannot be matched in linear time, and says why', async () => {
    for (const pattern of ['(a)\\1', '(?=a)', '(?<!a)b', '(a', '[a', '*a', '[b-a]', 'a\\', '((a{99}){99}){99}']) {
      const result = await compileRule({ kind: 'fact', pattern });
      assert.ok(!result.ok, pattern);
      assert.match(inEnglish(result.problem), /isn’t valid RE2 syntax/);
    }
    const long = await compileRule({ kind: 'fact', pattern: 'a'.repeat(2_000) });
    assert.ok(!long.ok && /longer than 1000/.test(inEnglish(long.problem)));
    assert.ok(!(await compileRule({ kind: 'fact', phrase: '  ' })).ok);
  });

  it('does not hang on nested repetitions', async () => {
    const text = `${'a'.repeat(20_000)}!`;
    for (const pattern of ['^(a+)+$', '(a|a|aa)*b', '(.*)(.*)(.*)x'])
      assert.equal((await compiled({ kind: 'fact', pattern })).matches(text), false);
  });
});
