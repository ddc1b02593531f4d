import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BlockSplitter, readFence, type Block } from '../../../src/webview/markdown/blocks.ts';
import { renderMarkdown } from '../../../src/webview/markdown/parser.ts';

function split(text: string, sizes: readonly number[] = [text.length]): readonly Block[] {
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

const kinds = (text: string) => split(text).map((block) => block.kind);

/** Markdown of the sort that models write, and of the sort they should not. */
const line = fc.constantFrom(
  ...['', '', 'Some words.', 'and more', '# Heading', '## Two', '- item', '  - inner', '  more of it', '1. one'],
  ...['2. two', '```ts', '```', '  ```', '~~~', 'const a = 1;', '    indented', '| a | b |', '|---|---|', '> quoted'],
  ...['---', '[a]: https://a.example', 'see [a]', '* star', '\tTab', '`code` **bold**', '````', '- [ ] task'],
);
const document = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

describe('a reply that is still arriving', () => {
  it('is cut into blocks that are the text, joined', () => {
    fc.assert(
      fc.property(document, (text) => {
        assert.equal(
          split(text)
            .map((block) => block.text)
            .join(''),
          text,
        );
      }),
    );
  });

  it('is cut at the same places however it was chunked', () => {
    fc.assert(
      fc.property(document, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (text, sizes) => {
        assert.deepEqual(split(text, sizes), split(text));
      }),
    );
  });

  it('reads the same in blocks as whole', () => {
    fc.assert(
      fc.property(document, (text) => {
        // Both know the definitions of the whole text, as the page does in the end.
        const environment = {};
        const whole = renderMarkdown(text, environment);
        const pieces = split(text).map((block) => renderMarkdown(block.text, { ...environment }));
        assert.equal(pieces.join(''), whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has a code block of its own for each fence, and keeps fences in lists with their item', () => {
    assert.deepEqual(kinds('Look:\n```ts\na\n\nb\n```\nDone.'), ['prose', 'code', 'prose']);
    assert.deepEqual(kinds('- item\n\n  ```ts\n  - not an item\n\n  ```\n- next\n\nEnd'), ['list', 'prose']);
  });

  it('has its long lists cut between items, so that a part of bounded size is drawn anew', () => {
    const list = Array.from({ length: 2_000 }, (_, index) => `${index + 1}. item number ${index + 1}`).join('\n');
    const blocks = split(list);
    assert.ok(blocks.length > 3);
    assert.ok(blocks.every((block) => block.kind === 'list' && block.text.length < 9_000));
  });

  it('shows a fence that has not closed as code, with its language', () => {
    const splitter = new BlockSplitter();
    splitter.push('Words\n\n```python title="x"\nprint(1)\npri');
    assert.equal(splitter.open?.kind, 'code');
    assert.deepEqual(readFence(splitter.open.text), { language: 'python', code: 'print(1)\npri', closed: false });
  });
});
