import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compressPreserveEvents } from '../../../src/core/compress/compress-preserve-events.ts';
import { compressTranscript, TargetTooSmall } from '../../../src/core/compress/compress-transcript.ts';
import { startsTurn } from '../../../src/core/compress/segments.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { answers, modelOf, sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import { counter, tools, total } from './small-runs.ts';

describe('random transcripts within random targets', () => {
  it('stay within the target, keep the newest user message and account for every message and event', async () => {
    await fc.assert(
      fc.asyncProperty(
        sessions,
        fc.integer({ min: 20, max: 3_000 }),
        fc.option(fc.nat({ max: 12 }), { nil: undefined }),
        fc.constantFrom('smart', 'summarize', 'trim', 'auto'),
        fc.option(fc.array(answers, { minLength: 1, maxLength: 4 }), { nil: undefined }),
        async (messages, targetTokens, keepRecent, strategy, script) => {
          const model = script && modelOf(script);
          const result = await compressTranscript(
            messages,
            {
              targetTokens,
              strategy,
              settings: { segmentTokens: 200 },
              ...(keepRecent !== undefined && { keepRecent }),
            },
            { ...tools(), ...(model && { model }) },
          ).catch((error: unknown) => {
            assert.ok(error instanceof TargetTooSmall, String(error));
            assert.ok(error.needed > targetTokens);
            return undefined;
          });
          if (!result) return;
          const { tokens, nodes, events } = result;
          const sent = result.messages.map(({ role, content }) => ({
            role,
            content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
          }));
          const after = sent.reduce((sum, message) => sum + counter.message(message), 0);
          assert.equal(tokens.after, after);
          assert.ok(after <= Math.max(targetTokens, 0), `${after} of ${targetTokens}`);
          assert.equal(tokens.before, total(messages));
          if (tokens.before <= targetTokens) assert.equal(model?.calls() ?? 0, 0);

          const newest = messages.findLast(startsTurn);
          const texts = sent.map(messageText);
          if (newest) assert.ok(sent.some((one) => one.role === 'user' && messageText(one) === messageText(newest)));

          const children = new Set(nodes.flatMap(({ node }) => node.children));
          const frontier = nodes.filter(({ node }) => !children.has(node.id));
          const told = new Set<number>();
          for (const { from, to } of frontier) {
            for (let at = from; at <= to; at++) {
              assert.ok(!told.has(at), `message ${at} is told twice`);
              told.add(at);
            }
          }
          const literal = messages.filter((_, at) => !told.has(at));
          let next = 0;
          for (const one of sent) if (next < literal.length && messageText(one) === messageText(literal[next]!)) next++;
          assert.equal(next, literal.length, 'every message that is not told is sent, in order');

          const context = texts.join('\n');
          for (const event of events) {
            assert.equal(messageText(messages[event.message]!).slice(event.start, event.end), event.quote);
            if (event.status === 'active') assert.ok(context.includes(event.quote), event.quote);
          }
        },
      ),
      runs(200),
    );
  });

  it('never exceed the target in compressPreserveEvents, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 0, max: 400 }), async (messages, target) => {
        const { tokens } = await compressPreserveEvents(messages, target, tools());
        assert.ok(tokens.after <= target, `${tokens.after} of ${target}`);
      }),
      runs(100),
    );
  });
});
