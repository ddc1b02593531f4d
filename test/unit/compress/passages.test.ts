import assert from 'node:assert/strict';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { pace, transcript } from './summarize-fixtures.ts';

describe('passages', () => {
  it('are prose outside of code, whatever closes it, and not in numbered files', async () => {
    const reply =
      'const a = 1;\n```\n```ts\n' +
      'await store.flush();\n'.repeat(9) +
      '```\nThe store is now flushed before it closes.\n<source>ts\n' +
      'await store.open();\n'.repeat(9) +
      '</source>\nIt is opened again with the next call.\n12\tThe file says that it never closes.';
    const { passages } = await buildCorpus(transcript(['assistant', reply]), pace);
    assert.deepEqual(
      passages.map(({ kind, text }) => `${kind}: ${text}`),
      [
        'prose: The store is now flushed before it closes.',
        'prose: It is opened again with the next call.',
        'text: The file says that it never closes.',
      ],
    );
  });
});
