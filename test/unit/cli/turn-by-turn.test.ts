import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonl } from '../../support/tool-homes/conversation.ts';
import { runJson } from './run-cli.ts';

interface CompressOutput {
  readonly messages: readonly { readonly content: string }[];
  readonly nodes: readonly { readonly from: number; readonly to: number }[];
}

const AREAS = ['ledger', 'roster', 'freight', 'tariff', 'archive', 'signage', 'harbour', 'parcel'];
const STEP =
  'Now let me look at the next file and check that the tests of this part still pass before I go on with it.';

/** Eight turns: a user message, then fourteen of an agent's messages, one of which contains a decision. */
const SESSION = AREAS.flatMap((area, turn) => [
  { role: 'user', content: turn === 0 ? 'Port the stores of all eight areas, one after the other.' : 'continue' },
  ...Array.from({ length: 14 }, (_, step) => ({
    role: 'assistant',
    content:
      step === 6
        ? `Decided: the ${area} store keeps its rows for ${30 + turn} days in ${area}-rows.db, because the auditors ask for them.`
        : `${STEP} File ${step + 1} of the ${area} store is read.`,
  })),
]);

describe('agent session compressed turn by turn on the command line', () => {
  let folder = '';
  folderForAllTests((made) => (folder = made));

  it('keeps decisions from its first turns, despite short messages between its summaries', async () => {
    const file = path.join(folder, 'agent.jsonl');
    writeFileSync(file, jsonl(...SESSION));
    const { messages, nodes } = (await runJson(
      'compress',
      file,
      '--turn-by-turn',
      '--target-tokens',
      '1200',
    )) as unknown as CompressOutput;
    const gaps = nodes.slice(1).filter(({ from }, at) => from !== nodes[at]!.to + 1);
    // The newest user message is sent verbatim wherever it is.
    const newest = SESSION.findLastIndex(({ role }) => role === 'user');
    const starts = gaps.map(({ from }) => from);
    assert.deepEqual(starts, [newest + 1]);
    const sent = messages.map(({ content }) => content).join('\n');
    for (const area of AREAS) assert.ok(sent.includes(`${area}-rows.db`), area);
  });
});
