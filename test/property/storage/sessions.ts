import fc from 'fast-check';
import { compressionWith, type SessionEvent } from '../../../src/core/journal/schema.ts';
import { compressionId, keyEventId, messageId, nodeId, sessionId, taskId } from '../../../src/core/model/ids.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';

const words = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 1, max: 3_000 }).map((n) => 'lang und länger "\\ 語 '.repeat(n / 10)),
);
const message = fc.integer({ min: 0, max: 40 }).map((n) => messageId(`m${n}`));
const node = fc.integer({ min: 0, max: 8 }).map((n) => nodeId(`n${n}`));
const event = fc.integer({ min: 0, max: 15 }).map((n) => keyEventId(`e${n}`));

const oneOf = <T extends string | number>(...values: readonly T[]) => fc.constantFrom(...values);
const flag = fc.boolean();

const keyEvent = fc.record({
  id: event,
  message,
  kind: oneOf('decision', 'error'),
  quote: words,
  start: fc.nat(100),
  end: fc.nat(100),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
  importance: oneOf(2, 3),
  reason: fc.string({ maxLength: 10 }),
  status: oneOf('active', 'superseded'),
  pinned: flag,
});

const summary = fc
  .record({ id: node, first: message, last: message, text: words, children: fc.array(node, { maxLength: 2 }) })
  .map(({ id, first, last, text, children: others }): SummaryNode => {
    // A parent is created after its children, so there are no cycles.
    const children = others.filter((child) => child < id);
    const depth = children.length > 0 ? 1 : 0;
    const texts = { title: text.slice(0, 20), brief: text, detailed: text, full: text };
    const tokens = { source: 100, brief: 5, detailed: 20, full: 50 };
    return nodeWith({ id, first, last, children, depth, messages: 4, ...texts, tokens });
  });

const check = fc.record({
  level: oneOf('brief', 'detailed'),
  model: fc.constant('test/reader'),
  at: fc.nat(),
  statements: fc.array(
    fc.record({
      start: fc.nat(40),
      end: fc.nat(60),
      reason: oneOf('supported', 'told_otherwise', 'no_source', 'unchecked'),
      sources: fc.array(fc.record({ message, start: fc.nat(9), end: fc.nat(99) }), { maxLength: 2 }),
      instead: words,
    }),
    { maxLength: 3 },
  ),
});

const compression = fc
  .record({ nodes: fc.array(summary, { maxLength: 3 }), events: fc.array(keyEvent, { maxLength: 4 }) })
  .map(({ nodes, events }) =>
    compressionWith({
      id: compressionId('c'),
      nodes,
      events,
      levels: nodes.map(({ id }) => ({ node: id, level: 'brief' as const })),
      tokens: { before: 1_000, after: 400 },
      calls: { count: 1, inputTokens: 10, outputTokens: 5, costUsd: 0 },
    }),
  );

type EventOf<Type extends SessionEvent['type']> = Omit<Extract<SessionEvent, { type: Type }>, 'type'>;
const happens = <Type extends SessionEvent['type']>(
  type: Type,
  rest: { readonly [Key in keyof EventOf<Type>]: fc.Arbitrary<EventOf<Type>[Key]> },
): fc.Arbitrary<SessionEvent> =>
  fc.record(rest as Record<string, fc.Arbitrary<unknown>>).map((values) => ({ type, ...values }) as SessionEvent);

const content = words.map((text) => [{ type: 'text' as const, text }]);
const said = fc.record({
  id: message,
  parent: fc.option(message),
  role: fc.constant('user' as const),
  content,
  at: fc.integer({ min: 0, max: 1_000_000 }),
});
const task = words.map((goal) => ({ id: taskId('t'), goal, steps: [{ text: goal, status: 'pending' as const }] }));
const correction = fc.record({ kind: oneOf('constraint', 'fact'), start: fc.nat(100), end: fc.nat(100), quote: words });
const level = fc.option(oneOf('brief', 'full'));

/** Any valid or invalid event. IDs come from small sets, so that events refer to each other. */
export const anyEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  { weight: 8, arbitrary: happens('message_added', { message: said }) },
  happens('head_moved', { to: fc.option(message) }),
  happens('message_deleted', { id: message, deleted: flag }),
  happens('reply_partial', {
    id: message,
    parent: fc.option(message),
    model: fc.constant('m'),
    offset: fc.nat(20),
    text: words,
  }),
  happens('compressed', { compression }),
  happens('node_undone', { node, undone: flag }),
  happens('node_edited', { node, level: oneOf('brief', 'detailed'), text: words, tokens: fc.nat(50) }),
  happens('node_replaced', { node: summary, level }),
  happens('node_checked', { node, check }),
  happens('node_level_set', { node, level }),
  happens('node_expanded', { node, expanded: flag }),
  happens('compressions_undone', { compressions: fc.constant([compressionId('c')]), undone: flag }),
  happens('change_undone', { undone: flag }),
  happens('event_added', { event: keyEvent }),
  happens('event_pinned', { id: event, pinned: flag }),
  happens('event_removed', { id: event, removed: flag }),
  happens('event_corrected', { id: event, correction: fc.option(correction) }),
  happens('task_set', { task }),
  happens('task_reset', { automatic: flag }),
  happens('session_renamed', { title: words }),
);

export const anySession: fc.Arbitrary<SessionEvent[]> = fc
  .array(anyEvent, { maxLength: 60 })
  .map((events) => [
    { type: 'session_created', id: sessionId('s'), title: 'Any', workspace: 'folder:file:///w' },
    ...events,
  ]);

/** A simple session whose older messages are covered by summaries of up to three messages each. Texts may be long. */
export const summarizedSession: fc.Arbitrary<SessionEvent[]> = fc
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
