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

describe('rules of the user', () => {
  it('find the sentence that holds a phrase, whatever the case and spaces', async () => {
    const rules = [await compiled({ kind: 'fact', phrase: 'project  falcon' })];
    const text = 'Hello. What about Project\tFalcon today? Bye.';
    assert.deepEqual(
      detectEvents({ role: 'assistant', text }, { rules }).map(({ kind, quote, score, reason }) => ({
        kind,
        quote,
        score,
        reason,
      })),
      [
        {
          kind: 'fact',
          quote: 'What about Project\tFalcon today?',
          score: 1,
          reason: 'rule “project  falcon”',
        },
      ],
    );
  });

  it('win over what the detector thinks of the same sentence', async () => {
    const rules = [await compiled({ kind: 'fact', pattern: String.raw`never\b` })];
    const events = detectEvents({ role: 'user', text: 'Never log secrets. Always use tabs.' }, { rules });
    assert.deepEqual(
      events.map(({ kind, quote }) => [kind, quote]),
      [
        ['fact', 'Never log secrets.'],
        ['preference', 'Always use tabs.'],
      ],
    );
  });

  it('take the characters of a phrase as they are', async () => {
    const rules = [await compiled({ kind: 'fact', phrase: 'a.b (c)*' })];
    assert.equal(detectEvents({ role: 'tool', text: 'xx a.b (c)* yy' }, { rules }).length, 1);
    assert.equal(detectEvents({ role: 'tool', text: 'xx aXb c yy' }, { rules }).length, 0);
  });

  it('refuse what is no pattern or cannot be matched in linear time, and say why', async () => {
    for (const pattern of ['(a)\\1', '(?=a)', '(?<!a)b', '(a', '[a', '*a', '[b-a]', 'a\\', '((a{99}){99}){99}']) {
      const result = await compileRule({ kind: 'fact', pattern });
      assert.ok(!result.ok, pattern);
      assert.match(inEnglish(result.problem), /isn’t valid RE2 syntax/);
    }
    const long = await compileRule({ kind: 'fact', pattern: 'a'.repeat(2_000) });
    assert.ok(!long.ok && /longer than 1000/.test(inEnglish(long.problem)));
    assert.ok(!(await compileRule({ kind: 'fact', phrase: '  ' })).ok);
  });

  it('cannot be made to hang by nested repeats', async () => {
    const text = `${'a'.repeat(20_000)}!`;
    for (const pattern of ['^(a+)+$', '(a|a|aa)*b', '(.*)(.*)(.*)x'])
      assert.equal((await compiled({ kind: 'fact', pattern })).matches(text), false);
  });
});
