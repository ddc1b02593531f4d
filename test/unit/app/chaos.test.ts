import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFault } from '../../../src/app/fault-text.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { decodeLine } from '../../../src/storage/journal-line.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { FAULTS } from '../../support/disturbances.ts';
import { Random } from '../../support/random.ts';
import { WireServer } from '../../support/wire-server.ts';
import { Harness } from './harness.ts';

const TURNS = process.env['THREADKEEPER_LONG'] ? 1000 : 100;
/** A turn that takes longer than all its tries must be stuck. */
const STUCK_MS = 30_000;

describe(`${TURNS} turns with compression on a network where 3 of 10 requests fail`, () => {
  let server: WireServer;
  let harness: Harness;
  before(async () => {
    server = await WireServer.start();
    harness = await Harness.open();
  });
  after(async () => {
    await harness.close();
    await server.stop();
  });

  it('every message is in the journal, no turn hangs, and each fault offers an action', async function () {
    this.timeout(240_000 + TURNS * 2000);
    const random = new Random(7);
    server
      .answerWith(
        (text) => `Of "${text.slice(0, 40)}" there is much to tell, and most of it is about lists and tables.`,
      )
      .disturbBy(() => (random.next() < 0.3 ? random.pick(FAULTS) : undefined));
    const settings = {
      apiKey: 'sk-test',
      baseUrl: `${server.url}/v1`,
      model: 'gpt-4o-mini',
      firstTokenMs: 400,
      silenceMs: 400,
    };
    const model = withRetries(createOpenAiModel({ ...settings, provider: 'compatible' }), {
      sleep: () => Promise.resolve(),
    });
    harness.script = (request, signal) => model.stream(request, signal);
    harness.summarizer = harness.script;
    harness.set({ policy: resolvePolicy('balanced', { triggers: { messages: 30 } }) });
    const conversation = await harness.converse();
    let faults = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const stuck = setTimeout(() => assert.fail(`turn ${turn} is stuck`), STUCK_MS);
      try {
        await conversation.send(`Turn ${turn}: and what comes after part ${turn} of the listing?`);
      } catch (error) {
        faults++;
        assert.ok(ModelFault.is(error), String(error));
        assert.ok(describeFault(error).action, 'there is something to do');
      } finally {
        clearTimeout(stuck);
      }
      harness.clock.ahead += 60_000;
    }
    await conversation.settled();
    assert.ok(faults > 0, 'some turns failed');
    assert.ok(conversation.state.counters.compressions > 0, 'the history was compressed');

    const journal = await readFile(path.join(harness.folder, `${conversation.journal.id}.jsonl`), 'utf8');
    const written = journal
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const decoded = decodeLine(line);
        assert.equal(decoded.kind, 'event');
        const body = decoded.kind === 'event' ? decoded.envelope.body : undefined;
        return body?.type === 'message_added' ? [messageText(body.message)] : [];
      });
    const asked = written.filter((text) => text.startsWith('Turn '));
    assert.equal(asked.length, TURNS);
    const texts = conversation.state.path.map((id) => messageText(conversation.state.messages.get(id)!));
    assert.deepEqual(texts, written);
    console.log(
      `      turns ${TURNS}, failed with a way out ${faults}, compressions ${conversation.state.counters.compressions}`,
    );
  });
});
