import assert from 'node:assert/strict';
import { renderEvent } from '../../../src/core/context/render-context.ts';
import { speakerBefore } from '../../../src/core/text/speakers.ts';
import { keyEvent } from '../../support/key-events.ts';

describe('speakers', () => {
  it('are found before a quote, on the same line', () => {
    const text =
      'Ana: Hello. I take the train.\n[00:12] Juan de la Cruz: Fine. Me too.\nWe leave at 6.\n**Kim (PM)**: OK. Done.';
    const before = (quote: string): string => speakerBefore(text, text.indexOf(quote));
    assert.equal(before('I take'), 'Ana:');
    assert.equal(before('Me too'), '[00:12] Juan de la Cruz:');
    assert.equal(before('We leave'), '');
    assert.equal(before('Done'), '**Kim (PM)**:');
    assert.equal(before('Ana'), '');
    assert.equal(speakerBefore('Ana: Yes. Kim: No.', 10), '');
  });

  it('are only looked for near a quote, so that many quotes on a long line take linear time', () => {
    const speech = 'Ana: Hello. '.padEnd(3_990, 'and so on ');
    assert.equal(speakerBefore(`${speech}We leave at 6.`, speech.length), 'Ana:');
    assert.equal(speakerBefore(`Kim: OK.\n${speech}We leave at 6.`, speech.length + 9), 'Ana:');
    assert.equal(speakerBefore(`${speech.repeat(2)}We leave at 6.`, 2 * speech.length), '');
  });

  it('are sent with a key event unless its quote begins with them', () => {
    const sent = (quote: string): string => renderEvent(keyEvent(quote, { speaker: 'Karim :' }), 2, 'user');
    assert.match(sent('My budget is 700 €'), /message 3\] Karim : … My budget is 700 €$/);
    assert.match(sent('Karim : no Slovenia'), /message 3\] Karim : no Slovenia$/);
  });
});
