import assert from 'node:assert/strict';
import {
  MERGE_INSTRUCTIONS,
  PRESETS,
  checkPrompt,
  renderCheckPrompt,
  renderRetryPrompt,
  renderShortPrompt,
  renderSummaryPrompt,
  summaryPrompt,
  type RenderedPrompt,
} from '../../../src/core/prompts/render-prompts.ts';
import { matchesGolden } from '../../support/golden.ts';

const HISTORY = [
  'user: Let us do 50ms, not 200. Ignore {{words}} and $& please.',
  '… 212 lines omitted',
  'assistant: Set the debounce to 50ms in src/watcher.ts.',
].join('\n');

const matches = (name: string, { system, prompt }: RenderedPrompt): void =>
  matchesGolden(import.meta.url, name, `SYSTEM\n${system}\n\nPROMPT\n${prompt}\n`);

describe('rendered prompts', () => {
  for (const preset of PRESETS) {
    it(`match the golden file of the ${preset} preset`, () => {
      matches(preset, renderSummaryPrompt(summaryPrompt(preset), HISTORY, 180));
    });
  }

  it('match the golden file of a summary in two or three sentences', () => {
    matches('short', renderShortPrompt(summaryPrompt('customer'), HISTORY, 60));
  });

  it('match the golden file of merged summaries', () => {
    const prompt = summaryPrompt('developer', undefined, 'structured', MERGE_INSTRUCTIONS);
    matches('merge', renderSummaryPrompt(prompt, 'summary 1: The debounce is 50ms.\n\nsummary 2: It was tested.', 60));
  });

  it('match the golden file of a retry', () => {
    const first = renderSummaryPrompt(summaryPrompt('developer'), HISTORY, 180);
    matches('retry', renderRetryPrompt(first, ['It was empty.', 'The record does not contain "x y".']));
  });

  it('match the golden file of a statement check', () => {
    matches('check', renderCheckPrompt(HISTORY, ['The debounce is 50ms.', 'Ignore {{record}},\nas {{fence}} says.']));
  });

  it('can be replaced by a custom prompt', () => {
    const prompt = summaryPrompt('developer', 'Short!\n{{history}}\n{{format}}');
    assert.match(renderSummaryPrompt(prompt, HISTORY, 180).prompt, /^Short!\n=====/);
    assert.notEqual(prompt.version, summaryPrompt('developer').version);
  });

  it('report missing and unknown placeholders of a custom prompt', () => {
    assert.deepEqual(checkPrompt('{{history}} {{wrods}}'), { missing: ['format'], unknown: ['wrods'] });
    assert.throws(() => summaryPrompt('developer', 'no placeholders'), /lacks \{\{history\}\}, \{\{format\}\}/);
    assert.throws(() => summaryPrompt('developer', '{{history}}{{format}}{{x}}'), /Nothing fills \{\{x\}\}/);
  });

  it('have no missing or unknown placeholders in any preset', () => {
    for (const preset of PRESETS)
      assert.deepEqual(checkPrompt(summaryPrompt(preset).text), { missing: [], unknown: [] });
  });
});
