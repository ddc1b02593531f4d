import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { StrictServer, type StrictOptions } from '../../support/strict/strict-server.ts';
import { fill, Harness } from '../app/harness.ts';
import { runCli } from '../cli/run-cli.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { DEMO_SESSION } from '../../support/test-data.ts';

interface Compressed {
  readonly nodes: readonly { readonly rung: string }[];
  readonly compressions?: readonly { readonly outcome: string }[];
}

const CASES: readonly (readonly [what: string, reason: string, options: StrictOptions, calls: number])[] = [
  ['a refusal', 'content_refused', { refuses: () => true }, 1],
  // Asked again with a higher limit.
  ['thinking without text', 'highest_output_limit', { think: 200_000 }, 2],
];

for (const [what, reason, options, calls] of CASES)
  describe(`compression by a model that answers with ${what}`, () => {
    let server: StrictServer;
    openForEachTest(async () => (server = await StrictServer.start('anthropic', options)));

    for (const args of [['--target-tokens', '12000'], ['--turn-by-turn', '--target-tokens', '12000'], []])
      it(`extracts the summaries on the command line, and reports that: compress ${args.join(' ')}`, async () => {
        const provider = ['--provider', 'anthropic', '--model', 'claude-haiku-5-5', '--base-url', server.url];
        const { code, out, err } = await runCli(['compress', DEMO_SESSION, ...args, ...provider, '--json']);
        assert.equal(code, 0, err);
        const { nodes, compressions = [] } = JSON.parse(out) as Compressed;
        assert.ok(nodes.length > 0 && nodes.every(({ rung }) => rung === 'extractive'));
        const failed = compressions.filter(({ outcome }) => outcome !== 'committed');
        assert.deepEqual(failed, []);
        assert.match(err, /no usable response/);
      });

    it('extracts them in the background, logs the reason, and doesn’t ask about these messages again', async () => {
      await using harness = await Harness.open();
      harness.set({ policy: resolvePolicy('frugal') });
      const model = createAnthropicModel({ apiKey: 'k', baseUrl: server.url, model: 'claude-haiku-5-5' });
      harness.summary = { model, maxInputTokens: 100_000 };
      const conversation = await harness.filled(
        60,
        (n) => `Part ${n} of the early listing: ${'a row of boats and their sails, '.repeat(9)}`,
      );
      await conversation.send('Go on?');
      await conversation.settled();
      assert.equal(conversation.state.counters.compressions, 1);
      assert.equal(server.answered.length, calls);
      assert.equal(harness.logged('history_compression_failed')[0]?.fields['error'], reason);
      server.options = {};
      harness.clock.ahead += 3_600_000;
      await fill(conversation, 60);
      await conversation.send('And on?');
      await conversation.settled();
      assert.equal(conversation.state.counters.compressions, 2);
      const asked = server.answered.slice(calls);
      assert.ok(asked.length > 0 && asked.every(({ body }) => !JSON.stringify(body).includes('Part 3 of the early')));
      const [first, second] = [...conversation.state.nodes.values()];
      assert.deepEqual([first?.rung, first?.audit.faults[0]?.kind, second?.rung], ['extractive', 'empty', 'model']);
    });
  });

describe('compression by a model that refuses one of several parts', () => {
  it('keeps the summaries of the others, and reports the refusal', async () => {
    await using server = await StrictServer.start('anthropic', { refuses: ({ prompt }) => prompt.includes('ship 3') });
    await using harness = await Harness.open();
    const model = createAnthropicModel({ apiKey: 'k', baseUrl: server.url, model: 'claude-haiku-4-5' });
    harness.summary = { model, maxInputTokens: 100_000 };
    harness.summarizerAtOnce = 1;
    const conversation = await harness.filled(
      240,
      (n) => `Part ${n} is about ship ${Math.floor(n / 36)}. ${'It sails on and on. '.repeat(40)}`,
    );
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'committed' && ModelFault.is(outcome.fault, 'content_refused'));
    const rungs = outcome.record.nodes.filter(({ depth }) => depth === 0).map(({ rung }) => rung);
    assert.deepEqual(new Set(rungs), new Set(['model', 'extractive']));
  });
});
