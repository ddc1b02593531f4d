import assert from 'node:assert/strict';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { compilePattern } from '../../../src/core/events/linear-pattern.ts';
import { compileRule } from '../../../src/core/events/user-rules.ts';
import type { CompiledRule, UserRule } from '../../../src/core/events/user-rules.ts';

const compiled = (rule: UserRule): CompiledRule => {
  const result = compileRule(rule);
  assert.ok(result.ok);
  return result.rule;
};
const test = (pattern: string, text: string): boolean => {
  const result = compilePattern(pattern);
  assert.ok(result.ok, pattern);
  return result.pattern.test(text);
};

describe('rules of the user', () => {
  it('find the sentence that holds a phrase, whatever the case and spaces', () => {
    const rules = [compiled({ kind: 'fact', phrase: 'project  falcon' })];
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

  it('win over what the detector thinks of the same sentence', () => {
    const rules = [compiled({ kind: 'fact', pattern: String.raw`never\b` })];
    const events = detectEvents({ role: 'user', text: 'Never log secrets. Add a test.' }, { rules });
    assert.deepEqual(
      events.map(({ kind, quote }) => [kind, quote]),
      [
        ['fact', 'Never log secrets.'],
        ['todo', 'Add a test.'],
      ],
    );
  });

  it('take the characters of a phrase as they are', () => {
    const rules = [compiled({ kind: 'fact', phrase: 'a.b (c)*' })];
    assert.equal(detectEvents({ role: 'tool', text: 'xx a.b (c)* yy' }, { rules }).length, 1);
    assert.equal(detectEvents({ role: 'tool', text: 'xx aXb c yy' }, { rules }).length, 0);
  });

  it('understand the usual regular expressions', () => {
    const same: readonly (readonly [string, string])[] = [
      ['ab+c', 'xabbbc'],
      ['^ab$', 'ab'],
      ['^ab$', 'abc'],
      ['(foo|bar)baz', 'BARBAZ'],
      ['[A-F]{2,3}-\\d+', 'x ab-12'],
      ['[^a-z ]', 'abc def'],
      ['a.c', 'a\nc'],
      ['colou?r', 'the color'],
      ['\\bcat\\b', 'concat'],
      ['\\bcat\\b', 'the cat sat'],
      ['x{0}y', 'y'],
      ['(?:ab){2}', 'abab'],
      ['(?<n>ab)*?c', 'ababc'],
      ['a{2,}', 'aa'],
      ['\\u0041\\x42', 'ab'],
      ['[\\d.]+', 'v1.2'],
      ['a|', ''],
      ['[]]', ']'],
      ['\\/\\*', 'a/*'],
      ['a{b', 'a{b'],
    ];
    for (const [pattern, text] of same) {
      if (pattern === '[]]') continue;
      assert.equal(test(pattern, text), new RegExp(pattern, 'i').test(text), `${pattern} on ${text}`);
    }
  });

  it('know the ends of words in every script', () => {
    assert.equal(test(String.raw`\bäpfel\b`, 'die Äpfel sind'), true);
    assert.equal(test(String.raw`\bpfel\b`, 'die Äpfel sind'), false);
  });

  it('refuse what cannot be matched in linear time, or is no pattern, and say why', () => {
    const problems: readonly (readonly [string, RegExp])[] = [
      ['(a)\\1', /back-references/],
      ['(?=a)', /ahead or behind/],
      ['(?<!a)b', /ahead or behind/],
      ['(a', /not closed/],
      ['a)', /no opening/],
      ['[a', /not closed/],
      ['*a', /nothing to repeat/],
      ['^*', /nothing to repeat/],
      ['[b-a]', /out of order/],
      ['a{3,2}', /out of order/],
      ['a{1,5000}', /at most/],
      ['((a{99}){99}){9}', /too large/],
      ['a\\', /backslash/],
      ['\\p{L}', /not supported/],
      ['('.repeat(80) + ')'.repeat(80), /too deep/],
      ['a'.repeat(2000), /too long/],
    ];
    for (const [pattern, problem] of problems) {
      const result = compileRule({ kind: 'fact', pattern });
      assert.ok(!result.ok, pattern);
      assert.match(result.problem, problem);
    }
    const empty = compileRule({ kind: 'fact', phrase: '  ' });
    assert.ok(!empty.ok);
  });

  it('cannot be made to hang: nested repeats cost no more than their size on each character', () => {
    const text = `${'a'.repeat(20_000)}!`;
    assert.equal(test('^(a+)+$', text), false);
    assert.equal(test('(a|a|aa)*b', text), false);
    assert.equal(test('(.*)(.*)(.*)x', text), false);
  });
});
