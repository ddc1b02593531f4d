import assert from 'node:assert/strict';
import path from 'node:path';
import { readLabels } from '../../../scripts/events/labels.ts';
import { score, type Score } from '../../../scripts/events/score.ts';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { OUTPUTS } from '../../../src/core/events/linear-model.ts';
import { KEY_EVENT_MODEL } from '../../../src/core/events/weights.ts';
import { SHARED_DATA } from '../../support/test-data.ts';

describe('detector weights', () => {
  it('contain one value per output, and two for features that depend on the speaker', () => {
    assert.ok(KEY_EVENT_MODEL['bias']);
    for (const [name, weights] of Object.entries(KEY_EVENT_MODEL))
      assert.equal(weights.length, (name.startsWith('#') ? 1 : 2) * OUTPUTS.length, name);
  });
});

/**
 * In-sample, because the weights were trained on this data. `scripts/events/train.ts` prints the figures with sources
 * left out.
 */
function measured(file: string): Score | undefined {
  const labels = readLabels(path.join(SHARED_DATA, file));
  if (labels.length === 0) return undefined;
  return score(
    labels.map((item) => {
      const before = { role: item.role === 'user' ? 'assistant' : 'user', text: item.before ?? '' } as const;
      return { item, found: detectEvents({ role: item.role, text: item.text }, { before }) };
    }),
  );
}

describe('key event detection in labelled messages', () => {
  for (const [file, kinds] of [
    ['labels.dev.jsonl', 0.75],
    ['wild.dev.jsonl', 0.65],
  ] as const)
    it(`finds most events, especially lasting ones, and not many more than people mark (${file})`, function () {
      const figures = measured(file);
      if (figures === undefined) {
        console.log(`      no labelled messages at ${SHARED_DATA}: skipped`);
        this.skip();
      }
      assert.ok(figures.weighted >= 0.85, `weighted recall ${figures.weighted}`);
      assert.ok(figures.lasting >= 0.95, `lasting ${figures.lasting}`);
      assert.ok(figures.keptPrecision >= 0.6, `kept precision ${figures.keptPrecision}`);
      assert.ok(figures.kinds >= kinds, `kinds ${figures.kinds}`);
      assert.ok(figures.density <= 1.5 * figures.people, `${figures.density} a message, people ${figures.people}`);
    });
});
