import assert from 'node:assert/strict';
import { bestExcerpt } from '../../../src/core/search/excerpt.ts';

const cut = (text: string, query: string, maxChars: number): string => {
  const { start, end } = bestExcerpt(text, query, maxChars);
  return text.slice(start, end);
};
const filler = (lines: number): string => 'Nothing of interest stands in this line.\n'.repeat(lines);

describe('search result excerpt', () => {
  const decision = 'We take Redis for the cache because Postgres was too slow. The timeout is 50 ms.\n';

  it('covers the passage with the most query words, from the beginning of its line', () => {
    const text = `${filler(10)}The cache is slow.\n${filler(10)}${decision}${filler(10)}`;
    const excerpt = cut(text, 'redis cache timeout', 120);
    assert.ok(excerpt.startsWith('We take Redis'), excerpt);
    assert.ok(excerpt.includes('timeout'));
    assert.ok(excerpt.length <= 120);
  });

  it('prefers prose to code with the same words', () => {
    const code = '```ts\nconst timeout = cache.redis.timeout;\ncache.redis.open(timeout);\n```\n';
    const excerpt = cut(`${filler(10)}${code}${filler(10)}${decision}${filler(10)}`, 'redis cache timeout open', 120);
    assert.ok(excerpt.startsWith('We take Redis'), excerpt);
  });

  it('does not tell code from prose in very long texts, because that would take too long', () => {
    const code = '```ts\nconst timeout = cache.redis.timeout;\n```\n';
    const excerpt = cut(`${filler(10)}${code}${filler(10)}${decision}${filler(3_000)}`, 'redis cache timeout', 80);
    assert.ok(excerpt.includes('cache.redis.timeout'), excerpt);
  });

  it('matches synonyms, but no similar words with another first letter', () => {
    const text = `${filler(10)}We moved to Postgres in May.\n${filler(10)}`;
    assert.ok(cut(text, 'database', 60).includes('Postgres'));
    assert.ok(cut(`${filler(10)}The mimeout is odd.\n${filler(10)}`, 'timeout', 60).startsWith('Nothing'));
  });

  it('is the whole text if it is short', () => assert.equal(cut('all of it', 'it', 100), 'all of it'));

  it('is the beginning of the text when nothing matches', () => {
    const excerpt = cut(`First sentence. ${filler(5)}`, 'zebra', 30);
    assert.ok(excerpt.startsWith('First sentence.'), excerpt);
    assert.ok(excerpt.length <= 30);
  });

  it('finds identifiers, and words in scripts without spaces', () => {
    assert.ok(cut(`${filler(9)}const userName = read();\n${filler(9)}`, 'user_name', 60).includes('userName'));
    assert.ok(cut(`${filler(9)}設定ファイルがありません。\n${filler(9)}`, 'ファイル', 60).includes('ファイル'));
  });

  it('does not split an emoji', () => {
    const text = '😀'.repeat(300);
    for (let max = 0; max < 12; max++) assert.ok(cut(text, 'x', max).isWellFormed(), String(max));
  });
});
