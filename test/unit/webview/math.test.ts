import assert from 'node:assert/strict';
import { mathMl } from '../../../src/host/chat/math.ts';
import { BlockSplitter } from '../../../src/webview/markdown/block-splitter.ts';
import { renderMarkdown } from '../../../src/webview/markdown/parser.ts';

const rendered = (text: string): string => renderMarkdown(text, {});

describe('formula in a message', () => {
  const inline = (tex: string): string => `<code class="math-inline">${tex}</code>`;

  for (const [text, tex] of [
    ['It takes $O(n)$ steps.', 'O(n)'],
    ['It takes \\(O(n)\\) steps.', 'O(n)'],
    ['It is $a < b$, so', 'a &lt; b'],
    ['It is $a_1 * b_1 * c$.', 'a_1 * b_1 * c'],
  ] as const)
    it(`is rendered inline: ${text}`, () => assert.ok(rendered(text).includes(inline(tex)), rendered(text)));

  it('is rendered beside others when the line begins and ends with a formula', () => {
    const display = (tex: string): string => `<code class="math-display">${tex}</code>`;
    const text = rendered('$$a$$ and $$b$$');
    assert.ok(text.includes(`${display('a')} and ${display('b')}`), text);
    for (const single of ['$$a \\$ b$$', '$$a\\$$$', '\\[a\\]'])
      assert.match(rendered(single), /^<p>\s*<code[^<]+<\/code><\/p>\s*$/);
  });

  it('is rendered on lines of its own when it arrives in pieces and a line of it is an equals sign', () => {
    for (const text of ['$$\na\n=\nb\n$$\n', '\\[\na\n=\nb\n\\]\n', 'Above:\n$$\na\n=\nb\n$$\n']) {
      const splitter = new BlockSplitter();
      for (const character of text) splitter.push(character);
      splitter.finish();
      const isWhole = splitter.closed.some((block) => block.includes('a\n=\nb'));
      assert.ok(isWhole, JSON.stringify(splitter.closed));
    }
  });

  it('ends with its list item', () => {
    assert.doesNotMatch(rendered('- $$\n- second\n- $$\n'), /math/);
    assert.match(rendered('- $$\n  a\n\n  b\n  $$\n- second'), /a\s+b\s*<\/code>/);
  });

  for (const text of ['$$\nx\n- y\n+ z\n$$', '\\[\nx\n- y\n+ z\n\\]', 'Above:\n$$\nx\n- y\n+ z\n$$\nbelow'])
    it(`is rendered on lines of its own without splitting the block: ${JSON.stringify(text)}`, () => {
      assert.match(rendered(text), /<code class="math-display">\s*x\n- y\n\+ z\s*<\/code>/);
      const splitter = new BlockSplitter();
      splitter.push(text);
      splitter.finish();
      assert.ok(splitter.closed.some((block) => /x\n- y\n\+ z/.test(block)));
      assert.equal(splitter.closed.map((block) => block).join(''), text);
    });

  for (const text of [
    'It costs $5, or $10 for two.',
    'Set $HOME/$USER and $PATH.',
    'From US$5 to US$10.',
    'A \\[link\\] in brackets, and `$x$` in code.',
    '\\[link\\] or \\[link\\]',
    '$$ alone',
    'A lone $ sign and \\$escaped\\$ ones',
  ])
    it(`is not detected in: ${text}`, () => assert.ok(!rendered(text).includes('math'), rendered(text)));

  it('is converted to MathML, but not when it would link to or load anything', () => {
    const set = mathMl({ tex: '\\frac{a}{b}', display: true });
    assert.match(set, /<math[^>]*display="block".*<mfrac>.*<\/math>/);
    assert.doesNotMatch(set, /annotation|frac\{/);
    for (const tex of ['\\href{https://example.org}{x}', '\\includegraphics{https://example.org/x.png}'])
      assert.equal(mathMl({ tex, display: false }), '', tex);
  });

  it('is not converted when it is invalid or expands without end', () => {
    for (const tex of [
      '\\frac{',
      '\\nosuchcommand{x}',
      '\\def\\a{\\a\\a}\\a',
      '{'.repeat(3_000),
      '\\frac{'.repeat(500),
      '\\class{x}{y}',
      'x^',
      'x_',
    ])
      assert.equal(mathMl({ tex, display: false }), '', tex.slice(0, 40));
  });
});
