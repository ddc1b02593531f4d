import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { buildSummarizerInput } from '../../../src/core/compress/summarizer-input.ts';
import { cutSegments } from '../../../src/core/compress/cut-segments.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import { counter } from './compression-fixtures.ts';

describe('segments of random sessions', () => {
  it('cover every message once, in order, and keep each call with its result', () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1, max: 2_000 }), (messages, target) => {
        const tokens = messages.map((message) => counter.message(message));
        const segments = cutSegments(messages, tokens, { tokens: target, messages: 60 });
        let next = 0;
        for (const { from, to, tokens: sum } of segments) {
          assert.equal(from, next);
          assert.ok(to >= from);
          const expected = tokens.slice(from, to + 1).reduce((a, b) => a + b, 0);
          assert.equal(sum, expected);
          next = to + 1;
        }
        assert.equal(next, messages.length);
        const place = (at: number): number => segments.findIndex(({ from, to }) => from <= at && at <= to);
        const calls = new Map<string, number>();
        for (const [at, { content, role }] of messages.entries()) {
          for (const block of content) {
            if (block.type === 'tool_call') calls.set(block.callId, at);
            if (block.type === 'tool_result') assert.equal(place(calls.get(block.callId)!), place(at));
          }
          const before = messages[at - 1];
          if (role === 'tool' && before?.role === 'assistant') assert.equal(place(at - 1), place(at));
        }
      }),
      runs(300),
    );
  });
});

describe('passages of random sessions', () => {
  it('are ordered, non-overlapping slices of their messages, or sentences about code', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (messages) => {
        const { passages, texts } = await buildCorpus(messages, new CancellableYielder());
        let message = 0;
        let end = 0;
        for (const passage of passages) {
          if (passage.message !== message) end = 0;
          assert.ok(passage.message >= message);
          assert.ok(passage.start >= end && passage.end <= texts[passage.message]!.length);
          assert.notEqual(passage.text.trim(), '');
          message = passage.message;
          end = passage.end;
        }
      }),
      runs(200),
    );
  });

  it('are digested within any token budget', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 0, max: 800 }), async (messages, budget) => {
        const corpus = await buildCorpus(messages, new CancellableYielder());
        const text = await buildSummarizerInput(
          corpus,
          { from: 0, to: messages.length - 1 },
          budget,
          counter,
          new CancellableYielder(),
        );
        assert.ok(counter.text(text) <= budget);
      }),
      runs(100),
    );
  });
});
