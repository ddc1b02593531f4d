import assert from 'node:assert/strict';
import { ContextMeter } from '../../../src/app/context-meter.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { fillAndCompress, Harness } from './harness.ts';

describe('context of a session', () => {
  it('has the summaries of a session that was read again, even if its number of changes is the same', async () => {
    const harness = await Harness.open();
    const { clock, folder } = harness;
    const [first, second] = [await harness.converse(), await harness.converse()];
    for (const [conversation, topic] of [
      [first, 'dahlias'],
      [second, 'turnips'],
    ] as const) {
      await fillAndCompress(conversation, 60, (n) => `Part ${n} of the listing is about ${topic}. `.repeat(4));
    }
    const { counter, journal } = first;
    let { state } = first;
    assert.equal(state.prefixRevision, second.state.prefixRevision);
    const meter = new ContextMeter({
      journal: Object.defineProperty({ ...journal }, 'state', { get: () => state }),
      clock,
      counter,
      countStore: countFiles(folder, () => undefined),
      settings: () => harness.settings,
      calibration: () => undefined,
    });
    assert.match(meter.context().system.join('\n'), /dahlias/);
    ({ state } = second);
    assert.match(meter.context().system.join('\n'), /turnips/);
    await harness.close();
  });

  it('is computed again without rendering an attachment of megabytes again, which would block the window', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    await conversation.sendMessage({ text: 'Why?', attachments: [{ kind: 'paste', name: 'log', text: 'A timeout.' }] });
    const message = conversation.state.messages.get(conversation.state.path[0]!)!;
    const attachment = { ...message.attachments![0]! };
    let reads = 0;
    Object.defineProperty(attachment, 'text', { get: () => ++reads && 'A timeout.' });
    Object.assign(message, { attachments: [attachment] });
    const [first, second] = [conversation.context(), conversation.context()];
    assert.match(JSON.stringify(first.messages), /A timeout/);
    assert.deepEqual([second.messages, reads], [first.messages, 1]);
  });
});
