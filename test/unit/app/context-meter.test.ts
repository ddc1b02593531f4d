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
});
