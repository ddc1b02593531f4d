import fc from 'fast-check';
import type { CompressionRecord, SessionEvent } from '../../../src/core/journal/schema.ts';
import { compressionId, keyEventId, messageId, nodeId, sessionId, taskId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';

const words = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 1, max: 3_000 }).map((n) => 'lang und länger "\\ 語 '.repeat(n / 10)),
);
const message = fc.integer({ min: 0, max: 40 }).map((n) => messageId(`m${n}`));
const node = fc.integer({ min: 0, max: 8 }).map((n) => nodeId(`n${n}`));
const event = fc.integer({ min: 0, max: 15 }).map((n) => keyEventId(`e${n}`));

const keyEvent = fc.record({
  id: event,
  message,
  kind: fc.constantFrom('decision' as const, 'error' as const),
  quote: words,
  start: fc.nat(100),
  end: fc.nat(100),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
  importance: fc.constantFrom(2 as const, 3 as const),
  reason: fc.string({ maxLength: 10 }),
  status: fc.constantFrom('active' as const, 'superseded' as const),
  pinned: fc.boolean(),
});

const summary = fc
  .record({ id: node, first: message, last: message, text: words, children: fc.array(node, { maxLength: 2 }) })
  .map(({ id, first, last, text, children: others }): SummaryNode => {
    // A parent is made after its children, so a tree has no circles.
    const children = others.filter((child) => child < id);
    return {
      id,
      first,
      last,
      children,
      depth: children.length > 0 ? 1 : 0,
      messages: 4,
      title: text.slice(0, 20),
      brief: text,
      detailed: text,
      full: text,
      tokens: { source: 100, brief: 5, detailed: 20, full: 50 },
      rung: 'extractive',
      model: 'local',
      promptVersion: '1',
      sourceHash: 'h',
      at: 1,
      audit: { score: 1, identifiers: { known: 0, total: 0 }, quotes: { known: 0, total: 0 }, faults: [] },
    };
  });

const check = fc.record({
  level: fc.constantFrom('brief' as const, 'detailed' as const),
  model: fc.constant('test/reader'),
  at: fc.nat(),
  statements: fc.array(
    fc.record({
      start: fc.nat(40),
      end: fc.nat(60),
      reason: fc.constantFrom(
        'supported' as const,
        'told_otherwise' as const,
        'no_source' as const,
        'unchecked' as const,
      ),
      sources: fc.array(fc.record({ message, start: fc.nat(9), end: fc.nat(99) }), { maxLength: 2 }),
      instead: words,
    }),
    { maxLength: 3 },
  ),
});

const compression = fc
  .record({ nodes: fc.array(summary, { maxLength: 3 }), events: fc.array(keyEvent, { maxLength: 4 }) })
  .map(({ nodes, events }): CompressionRecord => {
    return {
      id: compressionId('c'),
      trigger: 'messages',
      threshold: 50,
      policy: 'balanced',
      strategy: 'smart',
      nodes,
      levels: nodes.map(({ id }) => ({ node: id, level: 'brief' as const })),
      events,
      changes: [],
      messages: { before: 10, after: 5 },
      tokens: { before: 1_000, after: 400 },
      calls: { count: 1, inputTokens: 10, outputTokens: 5, costUsd: 0 },
      durationMs: 3,
    };
  });

const at = fc.integer({ min: 0, max: 1_000_000 });

/** Any event a session may meet, sensible or not: ids come from small sets, so that they meet each other. */
export const anyEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ id: message, parent: fc.option(message), text: words, at })
      .map(({ id, parent, text, at: time }): SessionEvent => {
        const content = [{ type: 'text' as const, text }];
        return { type: 'message_added', message: { id, parent, role: 'user', content, at: time } };
      }),
  },
  fc.record({ type: fc.constant('head_moved' as const), to: fc.option(message) }),
  fc.record({ type: fc.constant('message_deleted' as const), id: message, deleted: fc.boolean() }),
  fc.record({
    type: fc.constant('reply_partial' as const),
    id: message,
    parent: fc.option(message),
    model: fc.constant('m'),
    offset: fc.nat(20),
    text: words,
  }),
  fc.record({ type: fc.constant('compressed' as const), compression }),
  fc.record({ type: fc.constant('node_undone' as const), node, undone: fc.boolean() }),
  fc.record({
    type: fc.constant('node_edited' as const),
    node,
    level: fc.constantFrom('brief' as const, 'detailed' as const),
    text: words,
    tokens: fc.nat(50),
  }),
  fc.record({
    type: fc.constant('node_replaced' as const),
    node: summary,
    level: fc.option(fc.constantFrom('brief' as const, 'full' as const)),
  }),
  fc.record({ type: fc.constant('node_checked' as const), node, check }),
  fc.record({
    type: fc.constant('node_level_set' as const),
    node,
    level: fc.option(fc.constantFrom('brief' as const, 'full' as const)),
  }),
  fc.record({ type: fc.constant('node_expanded' as const), node, expanded: fc.boolean() }),
  fc.record({
    type: fc.constant('compressions_undone' as const),
    compressions: fc.constant([compressionId('c')]),
    undone: fc.boolean(),
  }),
  fc.record({ type: fc.constant('change_undone' as const), undone: fc.boolean() }),
  fc.record({ type: fc.constant('event_added' as const), event: keyEvent }),
  fc.record({ type: fc.constant('event_pinned' as const), id: event, pinned: fc.boolean() }),
  fc.record({ type: fc.constant('event_removed' as const), id: event, removed: fc.boolean() }),
  fc.record({
    type: fc.constant('event_corrected' as const),
    id: event,
    correction: fc.option(
      fc.record({
        kind: fc.constantFrom('constraint' as const, 'fact' as const),
        start: fc.nat(100),
        end: fc.nat(100),
        quote: words,
      }),
    ),
  }),
  words.map((goal): SessionEvent => {
    return { type: 'task_set', task: { id: taskId('t'), goal, steps: [{ text: goal, status: 'pending' }] } };
  }),
  fc.record({ type: fc.constant('task_reset' as const), automatic: fc.boolean() }),
  words.map((title): SessionEvent => ({ type: 'session_renamed', title })),
);

/** A session's events from its creation on. */
export const anySession: fc.Arbitrary<SessionEvent[]> = fc
  .array(anyEvent, { maxLength: 60 })
  .map((events) => [
    { type: 'session_created', id: sessionId('s'), title: 'Any', workspace: 'folder:file:///w' },
    ...events,
  ]);

/** A plain session whose older messages summaries stand for, of up to three messages each; texts may be long. */
export const toldSession: fc.Arbitrary<SessionEvent[]> = fc
  .record({
    texts: fc.array(words, { minLength: 1, maxLength: 40, size: 'max' }),
    sizes: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }),
    model: summary,
    base: compression,
  })
  .map(({ texts, sizes, model, base }): SessionEvent[] => {
    const id = (at: number) => messageId(`m${at}`);
    const events: SessionEvent[] = [{ type: 'session_created', id: sessionId('s'), title: 'Told', workspace: 'w' }];
    for (const [at, text] of texts.entries()) {
      const content = [{ type: 'text' as const, text: text.repeat(3) }];
      const parent = at === 0 ? null : id(at - 1);
      events.push({ type: 'message_added', message: { id: id(at), parent, role: 'user', content, at } });
    }
    const nodes: SummaryNode[] = [];
    let next = 0;
    for (const [at, messages] of sizes.entries()) {
      if (next + messages > texts.length) break;
      const place = { first: id(next), last: id(next + messages - 1), messages };
      nodes.push({ ...model, id: nodeId(`t${at}`), children: [], ...place });
      next += messages;
    }
    return [...events, { type: 'compressed', compression: { ...base, nodes, levels: [] } }];
  });
