import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parseLessons } from '../../../scripts/events/labels.ts';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/events/golden');

for (const language of ['english', 'spanish', 'japanese', 'chinese', 'german', 'french', 'portuguese']) {
  const cases = parseLessons(fs.readFileSync(path.join(FOLDER, `${language}.txt`), 'utf8'), language);
  describe(`key event detection in ${language}`, () => {
    it('has a test case for each kind', () => {
      const kinds = new Set(cases.flatMap(({ agreed }) => agreed.flatMap((span) => span.kinds)));
      assert.deepEqual([...kinds].sort(), [...KEY_EVENT_KINDS].sort());
    });
    for (const { role, text, before, agreed } of cases) {
      // Momentary requests are optional.
      if (agreed.some(({ importance }) => importance < 2)) continue;
      const found = detectEvents(
        { role, text },
        before === undefined ? {} : { before: { role: role === 'user' ? 'assistant' : 'user', text: before } },
      );
      const [span] = agreed;
      if (span === undefined) {
        it(`finds nothing in the ${role}'s “${text}”`, () => assert.deepEqual(found, []));
      } else {
        it(`finds the ${span.kinds.join('/')} in the ${role}'s “${text}”`, () => {
          const quotes = found.map(({ kind, quote }) => ({ kind, quote }));
          assert.deepEqual(quotes, [{ kind: span.kinds[0], quote: text.slice(span.start, span.end) }]);
        });
      }
    }
  });
}
