import assert from 'node:assert/strict';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { chooseNotes } from '../../../src/core/compress/notes.ts';
import { Pace } from '../../../src/core/compress/source.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { loadEncoding, type TokenCounter } from '../../../src/core/tokens/token-counter.ts';

const ROUTINE = 'The list is handed to the caller, who shows it as a table with a heading and a line for each object.';
const FACTS = [
  'Rosalind parks the kite box beside the mill.',
  'The tide chart belongs to Tomasz.',
  'Yara sleeps at Varna.',
];

describe('what a model has noted of several segments', () => {
  let counter: TokenCounter;
  before(async () => {
    counter = await loadEncoding('o200k_base');
  });
  const source = () =>
    buildCorpus(
      Array.from({ length: 60 }, (_, n) => ({
        id: messageId(`m${n}`),
        role: 'assistant' as const,
        content: [
          { type: 'text' as const, text: `${ROUTINE} That is step ${n}.${n % 20 === 0 ? ` ${FACTS[n / 20]!}` : ''}` },
        ],
      })),
      new Pace(),
    );
  const notes = FACTS.map((fact) => `${ROUTINE} ${fact} ${ROUTINE}`);

  it('is told whole where there is room', async () => {
    assert.deepEqual(await chooseNotes(notes, await source(), 1_000, counter, new Pace()), notes);
  });

  it('is chosen over all of them by what the source seldom speaks of', async () => {
    const chosen = await chooseNotes(notes, await source(), 45, counter, new Pace());
    assert.deepEqual(chosen, FACTS);
  });

  it('takes no more than its room', async () => {
    for (const budget of [0, 5, 12, 30, 60]) {
      const chosen = await chooseNotes(notes, await source(), budget, counter, new Pace());
      assert.equal(chosen.length, notes.length);
      assert.ok(counter.text(chosen.join('\n')) <= budget + 1, `${budget}`);
    }
  });
});
