import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compressPreserveEvents, summarizeHierarchical, summarizeRecursive } from '../../../src/app/public-api.ts';
import { startsTurn } from '../../../src/core/compress/cut-segments.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { answers, sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import { counter, totalTokens } from './compression-fixtures.ts';

describe('library functions on random sessions', () => {
  it('summarizeRecursive stays within its target, and summarizeHierarchical within each level’s limit', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 6, max: 600 }), async (messages, target) => {
        const recursive = await summarizeRecursive(messages, target, { counter });
        assert.ok(recursive.tokens <= target, `${recursive.tokens} of ${target}`);
        const { tokens, unchanged } = await summarizeHierarchical(messages, { counter });
        if (unchanged) return;
        assert.ok(tokens.brief <= tokens.source * 0.1);
        assert.ok(tokens.detailed <= tokens.source * 0.3);
        assert.ok(tokens.brief <= tokens.detailed && tokens.detailed <= tokens.full);
      }),
      runs(60),
    );
  });

  it('compressPreserveEvents stays within any target, and accounts for every message', async () => {
    await fc.assert(
      fc.asyncProperty(
        sessions,
        fc.integer({ min: 5, max: 3_000 }),
        fc.option(fc.nat({ max: 12 }), { nil: undefined }),
        fc.constantFrom('smart', 'summarize', 'trim', 'auto'),
        fc.option(fc.array(answers, { minLength: 1, maxLength: 4 }), { nil: undefined }),
        async (messages, target, keepRecent, strategy, script) => {
          let calls = 0;
          const summarizer = script && (() => Promise.resolve(script[calls++ % script.length]!));
          const {
            tokens,
            nodes,
            events,
            messages: sent,
          } = await compressPreserveEvents(messages, target, {
            counter,
            strategy,
            ...(keepRecent !== undefined && { keepRecent }),
            ...(summarizer && { summarizer }),
          });
          const texts = sent.map(({ content }) => (typeof content === 'string' ? content : messageText({ content })));
          assert.ok(tokens.after <= Math.max(target, 0), `${tokens.after} of ${target}`);
          assert.equal(tokens.before, totalTokens(messages));
          if (tokens.before <= target) assert.equal(calls, 0);
          for (const event of events)
            assert.equal(messageText(messages[Number(event.message)]!).slice(event.start, event.end), event.quote);
          if (nodes.length === 0) return;

          const newest = messages.findLast(startsTurn);
          if (newest) assert.ok(sent.some(({ role }, at) => role === 'user' && texts[at] === messageText(newest)));
          const covered = new Set<number>();
          for (const { from, to } of nodes) {
            for (let at = from; at <= to; at++) {
              assert.ok(!covered.has(at), `message ${at} is covered twice`);
              covered.add(at);
            }
          }
          const verbatim = messages.filter(({ role }, at) => !covered.has(at) && role !== 'system');
          let next = 0;
          for (const text of texts) if (next < verbatim.length && text === messageText(verbatim[next]!)) next++;
          assert.equal(next, verbatim.length, 'every message that is not covered is sent, in order');
        },
      ),
      runs(150),
    );
  });
});
