import assert from 'node:assert/strict';
import { InMemorySession } from '../../../src/app/in-memory-session.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { isProvisional } from '../../../src/app/compression-plan.ts';
import { LOCAL_MODEL } from '../../../src/core/compress/node-content.ts';
import { partsOf } from '../../../src/core/compress/tree.ts';
import type { CostTier, SummaryNode } from '../../../src/core/model/summary.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { counter, message } from '../compress/summarize-fixtures.ts';
import { askedIn, summarizing } from './summarizing.ts';

const PLACES = ['parser', 'planner', 'reader', 'writer', 'index', 'cache', 'queue', 'router', 'gauge', 'clock'];

/** A developer session in which each turn has a request and five long replies on a different topic. */
const textAt = (at: number): string =>
  at % 6 === 0
    ? `Please look at the ${PLACES[(at / 6) % 10]!} of module ${at} and say what it returns when its input is empty.`
    : Array.from({ length: 14 }, (_, n) => {
        const place = PLACES[(at + n) % 10]!;
        return `The ${place} of step ${at}.${n} reads table t${at * 20 + n} and hands ${n + 3} rows to its ${PLACES[n % 10]!}.`;
      }).join('\n');

interface SummaryRequest {
  readonly input: number;
  readonly record: number;
  readonly text: string;
}

/** Grows a session to this many messages in a context window, with a model whose answers are as long as requested. */
async function grown(
  messages: number,
  budget: number,
  text: (at: number) => string,
  whenStarted: (session: InMemorySession) => void = () => undefined,
  turn = 6,
  { effort = 'default', failsToMerge = false }: { readonly effort?: CostTier; readonly failsToMerge?: boolean } = {},
) {
  const asked: SummaryRequest[] = [];
  const model = summarizing((prompt, system) => {
    const { record, words } = askedIn(prompt);
    asked.push({ input: counter.text(system) + counter.text(prompt), record: counter.text(record), text: record });
    if (failsToMerge && prompt.includes('summaries of consecutive parts')) throw new ModelFault('overloaded', 'busy');
    const facts = record.split('\n').filter((line) => line.includes('reads table'));
    const every = Math.max(1, Math.ceil((facts.length * 16) / words));
    const outcomes = facts.filter((_, n) => n % every === 0);
    return JSON.stringify({ narrative: 'The modules were read one by one.', outcomes });
  });
  const policy = resolvePolicy('balanced', { summary: { effort } });
  const session = new InMemorySession({ policy, budget, counter, preset: 'developer', model });
  whenStarted(session);
  for (let at = 0; at < messages; at++) {
    await session.receive(message(at, at % turn === 0 ? 'user' : 'assistant', text(at)));
  }
  await session.endTurn();
  return { session, asked };
}

describe('when the context window holds only a few long messages', () => {
  let made: ReturnType<typeof grown> | undefined;
  const long = (): ReturnType<typeof grown> => (made ??= grown(240, 9_000, textAt));

  it('the model summarizes many messages at once', async () => {
    const { session, asked } = await long();
    const commits = session.attempts.filter(({ outcome }) => outcome === 'committed').length;
    assert.ok(commits > 12, `${commits} compressions`);
    assert.ok(asked.length <= 240 / 18, `${asked.length} requests for 240 messages`);
    for (const { input, record } of asked.slice(1)) assert.ok(record > input / 2, `${record} of ${input} tokens read`);
  });

  it('the model reads a long user message exactly once, after the rest of its turn was summarized', async () => {
    const plan = (at: number): string =>
      PLACES.map((place, n) => `${n}. The ${place} of plan ${at}\n\nA heading, and a line for each row.`).join('\n\n');
    const { asked } = await grown(240, 9_000, (at) => (at % 60 === 0 ? plan(at) : textAt(at + 1)), undefined, 60);
    for (const at of [0, 60, 120]) {
      const readers = asked.filter(({ text }) => text.includes(`of plan ${at}`));
      assert.equal(readers.length, 1, `the request of message ${at} is read ${readers.length} times`);
    }
  });

  it('the model replaces extractive summaries made while a long user message took up their room', async () => {
    const long = (at: number, times: number): string =>
      Array.from({ length: times }, (_, n) => textAt(at * 6 + n + 1).replaceAll('step', `part ${n} of step`)).join(
        '\n\n',
      );
    const text = (at: number): string => {
      if (at === 60) return long(at, 10);
      return at > 100 && at < 120 ? long(at, 8) : textAt(at * 6 + 1);
    };
    const { session } = await grown(240, 9_000, text, undefined, 60);
    const { frontier, nodes } = session.state;
    const extracted = frontier
      .flatMap(({ node }) => partsOf(node, nodes))
      .filter((node) => isProvisional(node) && node.messages > 1 && session.state.positionOf(node.last)! < 180);
    const ranges = extracted.map(({ first, last }) => `${first} to ${last}`);
    assert.deepEqual(ranges, []);
  });

  it('the model merges summaries with the effort “thorough” only, and never the same ones twice', async () => {
    const merged = async (effort: CostTier, messages: number): Promise<readonly SummaryNode[]> => {
      const { session, asked } = await grown(messages, 6_000, textAt, undefined, 6, { effort });
      const merges = asked.map(({ text }) => text).filter((text) => text.trim().startsWith('summary 1: '));
      assert.equal(new Set(merges).size, merges.length);
      return session.state.frontier.map(({ node }) => node).filter(({ children }) => children.length > 0);
    };
    const [thorough] = await merged('thorough', 480);
    assert.equal(thorough?.model, 'test/summarizer');
    assert.match(thorough.detailed, /The modules were read one by one\.[^]*- The \w+ of step [\d.]+ reads table/);
    const [byDefault] = await merged('default', 320);
    assert.equal(byDefault?.model, LOCAL_MODEL);
  });

  it('keeps new summaries and reports the fault if the model fails to merge them', async () => {
    const { session } = await grown(320, 6_000, textAt, undefined, 6, { effort: 'thorough', failsToMerge: true });
    const merges = session.attempts.filter(({ fallback }) => fallback === 'extractive');
    assert.ok(merges.length > 0);
    assert.ok(merges.every(({ outcome }) => outcome === 'committed'));
    const { frontier, nodes } = session.state;
    const leaves = frontier.flatMap(({ node }) => partsOf(node, nodes));
    assert.ok(leaves.some(({ model }) => model === 'test/summarizer'));
  });

  it('compression succeeds even if a message cannot be read', async () => {
    const { session } = await grown(120, 9_000, textAt, ({ state: { messages } }) => {
      const get = messages.get.bind(messages);
      messages.get = (id) => (/5$/.test(id) ? undefined : get(id));
    });
    const outcomes = session.attempts.map(({ outcome }) => outcome);
    assert.ok(outcomes.includes('committed') && !outcomes.includes('failed'), outcomes.join());
  });

  it('only the newest messages have extractive summaries, until the model reads them', async () => {
    const { session } = await long();
    const { frontier } = session.state;
    const byModel = frontier.filter(({ node }) => node.model !== LOCAL_MODEL || node.children.length > 0);
    assert.deepEqual(byModel, frontier.slice(0, byModel.length));
    assert.ok(byModel.at(-1)!.to >= 190, `by the model up to message ${byModel.at(-1)!.to}`);
    assert.equal(frontier[0]!.from, 0);
  });

  it('the model summarizes short messages at every compression', async () => {
    const { session, asked } = await grown(240, 1_500, (at) => `Message ${at}: ${textAt(1).split('\n')[at % 14]!}`);
    const commits = session.attempts.filter(({ outcome }) => outcome === 'committed').length;
    assert.ok(asked.length >= commits, `${asked.length} requests, ${commits} compressions`);
  });
});
