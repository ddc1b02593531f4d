import assert from 'node:assert/strict';
import { blankTerminalCodes, withoutTerminalCodes } from '../../../src/core/text/terminal-codes.ts';

describe('terminal control sequences', () => {
  for (const [text, expected] of [
    ['\x1b[1mINFO    \x1b[0m | \x1b[36msrc.rag\x1b[0m', 'INFO     | src.rag'],
    ['\x1b[38;2;255;120;20m↯\x1b[39m Fast mode', '↯ Fast mode'],
    ['\x1b[2K\x1b[1G\x1b[?25hdone', 'done'],
    ['\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x07 and \x1b]0;title\x07text', 'link and text'],
    ['\x1b(Bplain\x1b=\x1b7 text\x1b', 'plain text'],
    ['\x1b]0;never closed\nnext line', '0;never closed\nnext line'],
    ['rate(errors[5m]) of "\\x1b[0m"', 'rate(errors[5m]) of "\\x1b[0m"'],
  ] as const) {
    it(`leave ${JSON.stringify(expected)} of ${JSON.stringify(text)}`, () => {
      assert.equal(withoutTerminalCodes(text), expected);
      const blank = blankTerminalCodes(text);
      assert.equal(blank.length, text.length);
      assert.equal(blank.replace(/[ \n]/g, ''), expected.replace(/[ \n]/g, ''));
      assert.equal(blank.indexOf('\n'), text.indexOf('\n'));
    });
  }

  it('are removed from a long text of sequences that are never closed', () => {
    for (const one of ['\x1b]0;', '\x1b[0;', '\x1b[ ', '\x1b '])
      assert.equal(blankTerminalCodes(one.repeat(300_000)).length, one.length * 300_000);
  });
});
