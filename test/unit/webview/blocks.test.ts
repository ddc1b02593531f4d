import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BlockSplitter } from '../../../src/webview/markdown/block-splitter.ts';
import { renderMarkdown } from '../../../src/webview/markdown/parser.ts';

function split(text: string, sizes: readonly number[] = [text.length]): readonly string[] {
  const splitter = new BlockSplitter();
  let at = 0;
  for (let turn = 0; at < text.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    splitter.push(text.slice(at, at + size));
    at += size;
  }
  splitter.finish();
  return splitter.closed;
}

/** Markdown that models write, and hostile Markdown. */
const line = fc.constantFrom(
  ...['', '', 'Some words.', 'and more', '# Heading', '## Two', '- item', '  - inner', '  more of it', '1. one'],
  ...['2. two', '```ts', '```', '  ```', '~~~', 'const a = 1;', '    indented', '| a | b |', '|---|---|', '> quoted'],
  ...['---', '[a]: https://a.example', 'see [a]', '* star', '\tTab', '`code` **bold**', '````', '- [ ] task'],
);
const document = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

describe('blocks of a streaming reply', () => {
  it('join to the full text of the reply', () => {
    fc.assert(fc.property(document, (text) => assert.equal(split(text).join(''), text)));
  });

  it('are split at the same places whatever the chunk sizes', () => {
    fc.assert(
      fc.property(document, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (text, sizes) => {
        assert.deepEqual(split(text, sizes), split(text));
      }),
    );
  });

  it('render the same as the whole reply', () => {
    fc.assert(
      fc.property(document, (text) => {
        // Both know all link definitions, like the finished page.
        const environment = {};
        const whole = renderMarkdown(text, environment);
        const pieces = split(text).map((block) => renderMarkdown(block, { ...environment }));
        assert.equal(pieces.join(''), whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('put each fence in a block of its own, but keep a fence in a list with its item', () => {
    assert.deepEqual(split('Look:\n```ts\na\n\nb\n```\nDone.'), ['Look:\n', '```ts\na\n\nb\n```\n', 'Done.']);
    assert.equal(split('- item\n\n  ```ts\n  - not an item\n\n  ```\n- next\n\nEnd').length, 2);
  });
});
