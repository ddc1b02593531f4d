import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findQuotes } from '../../../src/core/audit/quotes.ts';
import { compressRun, DEFAULT_RUN_SETTINGS, type RunSettings } from '../../../src/core/compress/compress-run.ts';
import { compressPreserveEvents } from '../../../src/core/compress/compress-preserve-events.ts';
import { compressTranscript, TargetTooSmall } from '../../../src/core/compress/compress-transcript.ts';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { distil } from '../../../src/core/compress/distil.ts';
import { passageText } from '../../../src/core/compress/passages.ts';
import { cutSegments, startsTurn } from '../../../src/core/compress/segments.ts';
import { Cancelled, isToolResult, Pace, type SourceMessage } from '../../../src/core/compress/source.ts';
import { parseStructuredSummary } from '../../../src/core/compress/structured.ts';
import { summarizeHierarchical } from '../../../src/core/compress/summarize-hierarchical.ts';
import { summarizeRecursive } from '../../../src/core/compress/summarize-recursive.ts';
import { nodeId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { renderSummaryPrompt, summaryPrompt } from '../../../src/core/prompts/render.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { answers, modelOf, runs, sessions } from './arbitraries.ts';

const counter = await loadEncoding('o200k_base');
const settings: RunSettings = {
  ...DEFAULT_RUN_SETTINGS,
  prompt: summaryPrompt('developer'),
  segmentTokens: 150,
  fanIn: 3,
  frontierTokens: 600,
};
const tools = () => {
  let made = 0;
  return { counter, nextId: () => nodeId(`n${++made}`), now: () => 0 };
};
const total = (messages: readonly SourceMessage[]): number =>
  messages.reduce((sum, message) => sum + counter.message(message), 0);

/** The messages that a frontier stands for, as positions, once each and in order, or a failure. */
function covered(frontier: readonly SummaryNode[], messages: readonly SourceMessage[]): number {
  let next = 0;
  for (const node of frontier) {
    assert.equal(node.first, messages[next]?.id);
    next += node.messages;
    assert.equal(node.last, messages[next - 1]?.id);
  }
  return next;
}

describe('segments of random sessions', () => {
  it('cover every message once, in order, and part no call from its result', () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1, max: 2_000 }), (messages, target) => {
        const tokens = messages.map((message) => counter.message(message));
        const segments = cutSegments(messages, tokens, target);
        let next = 0;
        for (const { from, to, tokens: sum } of segments) {
          assert.equal(from, next);
          assert.ok(to >= from);
          assert.equal(
            sum,
            tokens.slice(from, to + 1).reduce((a, b) => a + b, 0),
          );
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
  it('are slices of their messages, in order, none overlapping, or sentences about code', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (messages) => {
        const { passages, texts } = await buildCorpus(messages, new Pace());
        let message = 0;
        let end = 0;
        for (const passage of passages) {
          if (passage.message !== message) end = 0;
          assert.ok(passage.message >= message);
          assert.ok(passage.start >= end && passage.end <= texts[passage.message]!.length);
          assert.notEqual(passageText(passage, texts[passage.message]!).trim(), '');
          message = passage.message;
          end = passage.end;
        }
      }),
      runs(200),
    );
  });

  it('distilled, stay within any budget', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 0, max: 800 }), async (messages, budget) => {
        const corpus = await buildCorpus(messages, new Pace());
        const text = await distil(corpus, { from: 0, to: messages.length - 1 }, budget, counter, new Pace());
        assert.ok(counter.text(text) <= budget);
      }),
      runs(100),
    );
  });
});

describe('summaries of random sessions by models that answer anything', () => {
  it('are smaller than their source, not empty, quote byte for byte and cover each message once', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.array(answers, { minLength: 1, maxLength: 6 }), async (messages, script) => {
        const model = modelOf(script);
        const result = await compressRun({ messages, frontier: [] }, settings, { ...tools(), model });
        assert.equal(covered(result.frontier, messages), result.covered);
        assert.ok(total(messages.slice(result.covered)) < 24 || result.covered === messages.length);
        const source = new Map<string, string>();
        let at = 0;
        for (const leaf of result.nodes.filter(({ depth }) => depth === 0)) {
          source.set(
            leaf.id,
            messages
              .slice(at, at + leaf.messages)
              .map(messageText)
              .join('\n'),
          );
          at += leaf.messages;
          for (const text of [leaf.brief, leaf.detailed]) {
            assert.notEqual(text, '');
            assert.ok(counter.text(text) + 4 < leaf.tokens.source);
            if (leaf.rung === 'extractive' || leaf.rung === 'cut') continue;
            for (const { quote } of findQuotes(text)) assert.ok(source.get(leaf.id)!.includes(quote), quote);
          }
        }
        for (const node of result.nodes) {
          assert.ok(node.tokens.detailed < node.tokens.source);
          assert.equal(node.tokens.detailed, counter.text(node.detailed) + 4);
          assert.equal(node.tokens.brief, counter.text(node.brief) + 4);
        }
      }),
      runs(150),
    );
  });

  it('are never asked for with more than the model takes', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 0, max: 1_500 }), async (messages, most) => {
        const model = modelOf([''], most);
        const guarded = {
          ...model,
          complete: (request: { system: string; prompt: string }) => {
            assert.ok(counter.text(request.system) + counter.text(request.prompt) <= most);
            return Promise.resolve({ text: '' });
          },
        };
        await compressRun({ messages, frontier: [] }, settings, { ...tools(), model: guarded });
      }),
      runs(80),
    );
  });

  it('commit nothing when the provider fails at any call', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, answers, fc.nat({ max: 5 }), async (messages, answer, failing) => {
        let call = 0;
        const model = {
          id: 'scripted/model',
          maxInputTokens: 100_000,
          atOnce: 4,
          complete: () => (call++ === failing ? Promise.reject(new Error('gone')) : Promise.resolve({ text: answer })),
        };
        const run = compressRun({ messages, frontier: [] }, settings, { ...tools(), model });
        const outcome = await run.then(
          () => 'done',
          (error: unknown) => (error instanceof Error ? error.message : 'other'),
        );
        assert.equal(outcome, call > failing ? 'gone' : 'done');
      }),
      runs(80),
    );
  });

  it('stop at any point where they are cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.nat({ max: 3 }), async (messages, after) => {
        const cancel = { aborted: false };
        let calls = 0;
        const model = {
          id: 'scripted/model',
          maxInputTokens: 100_000,
          atOnce: 4,
          complete: () => {
            cancel.aborted = calls++ >= after;
            return Promise.resolve({ text: '{"narrative":"Fine."}' });
          },
        };
        const run = compressRun(
          { messages, frontier: [] },
          { ...settings, concurrency: 1 },
          { ...tools(), model, cancel },
        );
        const stopped = await run.then(
          () => false,
          (error: unknown) => error instanceof Cancelled,
        );
        assert.equal(stopped, cancel.aborted);
        assert.ok(calls <= after + 1);
      }),
      runs(80),
    );
  });
});

describe('a session that grows through random compressions', () => {
  it('keeps each message under exactly one frontier node, whose texts stay bounded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sessions, { minLength: 2, maxLength: 5 }),
        fc.array(answers, { minLength: 1, maxLength: 5 }),
        async (parts, script) => {
          const all: SourceMessage[] = [];
          const model = modelOf(script);
          const shared = tools();
          let frontier: readonly SummaryNode[] = [];
          for (const [index, part] of parts.entries()) {
            const renamed = part.map((message) => ({ ...message, id: `${index}-${message.id}` as typeof message.id }));
            const result = await compressRun({ messages: renamed, frontier }, settings, { ...shared, model });
            all.push(...renamed.slice(0, result.covered));
            ({ frontier } = result);
            assert.equal(covered(frontier, all), all.length);
            assert.ok(result.tokens.frontier <= settings.frontierTokens || frontier.length === 1);
          }
        },
      ),
      runs(60),
    );
  });
});

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

  it('end below the target in summarizeRecursive and below each level in summarizeHierarchical', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 6, max: 600 }), async (messages, target) => {
        const recursive = await summarizeRecursive(messages, target, tools());
        assert.ok(recursive.tokens <= target, `${recursive.tokens} of ${target}`);
        const { tokens, unchanged } = await summarizeHierarchical(messages, tools());
        if (unchanged) return;
        assert.ok(tokens.brief <= tokens.source * 0.1);
        assert.ok(tokens.detailed <= tokens.source * 0.3);
        assert.ok(tokens.full <= tokens.source * 0.7);
        assert.ok(tokens.brief <= tokens.detailed && tokens.detailed <= tokens.full);
      }),
      runs(60),
    );
  });
});

describe('prompts and answers', () => {
  it('fence any history with a line that it does not hold', () => {
    fc.assert(
      fc.property(fc.string(), (history) => {
        const { prompt } = renderSummaryPrompt(summaryPrompt('developer'), history, 100);
        const fence = /\n(=====[0-9a-f]+=====)\n/.exec(prompt)?.[1];
        assert.ok(fence);
        assert.ok(!history.includes(fence));
        assert.ok(prompt.includes(`${fence}\n${history}\n${fence}`));
      }),
      runs(300),
    );
  });

  it('are parsed or refused, never thrown over', () => {
    fc.assert(
      fc.property(fc.oneof(answers, fc.string(), fc.string({ unit: 'binary' })), (answer) => {
        const parsed = parseStructuredSummary(answer);
        if (parsed.ok) assert.equal(typeof parsed.summary.narrative, 'string');
      }),
      runs(1_000),
    );
  });

  it('take tool results under any role for results', () => {
    fc.assert(
      fc.property(sessions, (messages) => {
        for (const message of messages)
          assert.equal(startsTurn(message), message.role === 'user' && !isToolResult(message));
      }),
      runs(50),
    );
  });
});
