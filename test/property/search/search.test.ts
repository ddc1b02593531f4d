import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bestExcerpt } from '../../../src/core/search/excerpt.ts';
import { visitWords } from '../../../src/core/text/words.ts';
import { TextIndex } from '../../../src/core/search/text-index.ts';
import { runs } from '../runs.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.lorem({ maxCount: 40 }));

describe('search index of any texts', () => {
  it('finds each text by each of its words', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
        const index = new TextIndex();
        texts.forEach((one, i) => index.add(String(i), one));
        texts.forEach((one, i) => {
          visitWords(one, (_, start, end) => {
            const hits = index.search(one.slice(start, end), { limit: texts.length });
            assert.ok(hits.some(({ id }) => id === String(i)));
          });
        });
      }),
    );
  });

  it('returns valid term positions, and an excerpt within its bounds', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 80 }), (one, query, max) => {
        visitWords(one, (term, start, end) => {
          assert.ok(term !== '' && start >= 0 && start < end && end <= one.length);
        });
        const { start, end } = bestExcerpt(one, query, max);
        assert.ok(start >= 0 && start <= end && end <= one.length && end - start <= Math.max(max, 0));
        if (one.isWellFormed()) assert.ok(one.slice(start, end).isWellFormed());
      }),
    );
  });

  it('leaves no trace of a removed text', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 90 }), (texts) => {
        const index = new TextIndex();
        texts.forEach((one, i) => index.add(String(i), one));
        texts.forEach((_, i) => i % 4 !== 0 && index.remove(String(i)));
        assert.equal(index.size, Math.ceil(texts.length / 4));
        const query = texts.join(' ').slice(0, 500);
        for (const { id } of index.search(query, { limit: 1000 })) assert.equal(Number(id) % 4, 0);
      }),
      runs(40),
    );
  });
});
