import assert from 'node:assert/strict';
import { compressionWith } from '../../../src/core/journal/schema.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { SessionSearch } from '../../../src/app/session-search.ts';
import { editSummary, undoCompressions } from '../../../src/app/summary-changes.ts';
import { compressionId, keyEventId, messageId, nodeId } from '../../../src/core/model/ids.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { EventIndex } from '../../../src/host/summaries/event-index.ts';
import type * as RowsModule from '../../../src/host/summaries/context-rows.ts';
import type { ContextRow, TreeFilter } from '../../../src/host/summaries/context-rows.ts';
import type { TreeSource } from '../../../src/host/summaries/context-row-texts.ts';
import { isSent, regenerateOptions } from '../../../src/host/summaries/summary-tree.ts';
import { gaugeParts } from '../../../src/core/budget/gauge.ts';
import type * as ChartModule from '../../../src/host/gauge/chart-svg.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { Harness, fill } from '../app/harness.ts';
import { keyEvent } from '../../support/key-events.ts';
import { openForEachTest } from '../../support/per-test.ts';

const load = hostIn({});
const { chartSvg, contextSeries } = await load<typeof ChartModule>('gauge/chart-svg.ts');
const { filterRow, findRow, topRows } = await load<typeof RowsModule>('summaries/context-rows.ts');

function sourceOf({ state, journal, meter }: Pick<Conversation, 'state' | 'journal' | 'meter'>): TreeSource {
  const events = new EventIndex(state, new Set());
  const gauge = {
    used: 93,
    budget: 1000,
    reserved: 200,
    approximate: false,
    parts: gaugeParts({ recent: 90 }, 93),
    droppedEvents: 0,
    costUsd: 0,
    policy: 'balanced',
  };
  return { conversation: { state, journal, meter }, events, gauge, now: 0 };
}

const sourceFor = (state: SessionState): TreeSource => {
  const meter = { providerSizes: (sizes: unknown) => sizes };
  return sourceOf({ state, journal: { id: 's' }, meter } as unknown as Conversation);
};

/** A session in which summaries cover all except the newest messages: leaves of 50 messages, merged by six. */
function longSession(messages: number): SessionState {
  const state = new SessionState();
  const said = Array.from({ length: messages }, (_, n) => messageId(`m${n}`));
  for (const [n, id] of said.entries()) {
    const content = [{ type: 'text' as const, text: `Part ${n}.` }];
    state.apply(
      { type: 'message_added', message: { id, parent: said[n - 1] ?? null, role: 'user', content, at: n } },
      n,
    );
  }
  const nodes: SummaryNode[] = [];
  const add = (first: number, last: number, children: readonly SummaryNode[]): SummaryNode => {
    const node = nodeWith({
      id: nodeId(`n${nodes.length}`),
      depth: Math.max(-1, ...children.map(({ depth }) => depth)) + 1,
      first: said[first]!,
      last: said[last]!,
      messages: last - first + 1,
      children: children.map(({ id }) => id),
      title: `Parts ${first} to ${last}`,
      detailed: 'Parts.',
      tokens: { source: 500, brief: 5, detailed: 5 },
    });
    nodes.push(node);
    return node;
  };
  let row: { from: number; to: number; node: SummaryNode }[] = [];
  for (let from = 0; from + 50 <= messages - 10; from += 50)
    row.push({ from, to: from + 49, node: add(from, from + 49, []) });
  while (row.length > 12) {
    const above: typeof row = [];
    for (let at = 0; at < row.length; at += 6) {
      const run = row.slice(at, at + 6);
      const [from, to] = [run[0]!.from, run.at(-1)!.to];
      above.push({
        from,
        to,
        node: add(
          from,
          to,
          run.map(({ node }) => node),
        ),
      });
    }
    row = above;
  }
  const events = said
    .filter((_, n) => n % 10 === 0)
    .map((message) => keyEvent('Part', { id: keyEventId(`e-${message}`), message }));
  state.apply({ type: 'compressed', compression: compressionWith({ id: compressionId('c'), nodes, events }) }, 1);
  return state;
}

const section = (source: TreeSource, name: string): ContextRow =>
  topRows(source).find(({ id }) => id === `section/${name}`)!;

const way = (row?: ContextRow): string[] => (row ? [row.id, ...way(row.parent)] : []);

function* all(rows: readonly ContextRow[]): Generator<ContextRow> {
  for (const row of rows) {
    yield row;
    yield* all(row.children());
  }
}

describe('the summary tree', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('shows each message covered by a summary once, gives each row a unique ID, and finds each row again', async () => {
    const conversation = await harness.compressed(400);
    const source = sourceOf(conversation);
    const rows = [...all(topRows(source))];
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    const shown = rows.flatMap((row) => (row.kind === 'message' ? [row.message] : []));
    const covered = conversation.state.frontier.flatMap(({ from, to }) => conversation.state.path.slice(from, to + 1));
    assert.deepEqual(shown, covered);
    for (const row of rows) {
      if (row.kind === 'node' || row.kind === 'message') assert.deepEqual(way(findRow(source, row)), way(row));
      if (row.kind === 'event') assert.equal(findRow(source, row)?.parent?.parent?.id, 'section/events');
    }
  });

  it('gives each row a unique ID even if a filter lists a summary next to its own descendants', () => {
    const state = longSession(1_000);
    const parent = state.frontier[0]!.node;
    for (const id of [parent.id, parent.children[0]!]) {
      const node = state.nodes.get(id)!;
      const audit = { ...node.audit, faults: [{ kind: 'unknown_quote' as const, text: 'never said' }] };
      state.apply({ type: 'node_replaced', node: { ...node, audit } }, 2);
    }
    const hits = [
      { kind: 'summary', message: messageId('m0'), position: 0, start: 0 },
      { kind: 'message', message: messageId('m7'), position: 7, start: 0 },
      { kind: 'event', message: messageId('m10'), position: 10, start: 0 },
    ] as never;
    for (const filter of [{ by: 'warnings' }, { by: 'text', text: 'part' }] as const) {
      const ids = [...all([filterRow(sourceFor(state), filter, hits)])].map(({ id }) => id);
      const repeated = ids.filter((id, at) => ids.indexOf(id) < at);
      assert.deepEqual(repeated, []);
    }
  });

  it('shows at most 11 rows below any row in a session of 10,000 messages', () => {
    const source = sourceFor(longSession(10_000));
    const walk = (rows: readonly ContextRow[], parent?: ContextRow): void => {
      assert.ok(rows.length <= 11, `${rows.length} rows`);
      for (const row of rows) {
        assert.equal(row.parent, parent);
        walk(row.children(), row);
      }
    };
    walk(topRows(source));
    const last = messageId('m9900');
    assert.ok(way(findRow(source, { kind: 'message', message: last })).length > 5);
  });

  it('shows context parts that add up to the tokens shown by the gauge', async () => {
    const source = sourceOf(await harness.compressed(100));
    const parts = section(source, 'context').children();
    assert.equal(
      parts.reduce((sum, { item }) => sum + Number.parseInt(String(item.description)), 0),
      source.gauge.used,
    );
  });

  it('shows the headings of a summary without Markdown on hover', async () => {
    const { state, journal, counter, meter } = await harness.compressed(100);
    const text = '**Decisions**\n- We keep **SQLite**.';
    assert.ok(await editSummary(journal, counter, state.frontier[0]!.node.id, 'brief', text));
    const tooltip = section(sourceOf({ state, journal, meter }), 'summaries').children()[0]?.tooltip?.();
    const shown = typeof tooltip === 'object' ? tooltip.value.replaceAll('&nbsp;', ' ') : '';
    assert.ok(shown.includes('\n\nDecisions\n\n\\- We keep \\*\\*SQLite\\*\\*.'), shown);
  });

  it('lists the summaries of undone compressions, to be restored', async () => {
    const conversation = await harness.compressed(100);
    const nodes = conversation.state.frontier.map(({ node }) => node.id);
    const first = conversation.state.frontier[0]!.node;
    assert.ok(isSent(conversation.state, first));
    await undoCompressions(
      conversation.journal,
      conversation.state.compressions.map(({ id }) => id),
      true,
    );
    const source = sourceOf(conversation);
    const undone = section(source, 'summaries')
      .children()
      .at(-1)
      ?.children()
      .map((row) => row.kind === 'revertedNode' && row.node);
    assert.deepEqual(undone, nodes);
    assert.ok(!isSent(conversation.state, first));
  });

  it('offers another model only for summaries of messages, and the full text only for sent summaries', () => {
    const state = longSession(1_000);
    const parent = state.frontier[0]!.node;
    const leaf = state.nodes.get(parent.children[0]!)!;
    assert.deepEqual(regenerateOptions(state, parent, true), ['children', 'finer']);
    assert.deepEqual(regenerateOptions(state, leaf, true), ['same', 'model', 'instructions']);
    assert.deepEqual(regenerateOptions(state, leaf, false), ['same', 'model'], 'nobody would read instructions');
    const { node } = longSession(100).frontier[0]!;
    assert.deepEqual(regenerateOptions(longSession(100), node, true), ['same', 'model', 'instructions', 'finer']);
  });

  it('opens a row at a cost that does not grow with the session: 10,000 messages against 200', () => {
    const work = (state: SessionState): number => {
      let looked = 0;
      const watched = new Proxy(state, {
        get: (target, key) => {
          looked++;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
      const source = sourceFor(watched);
      let row = section(source, 'summaries');
      looked = 0;
      // Down the last branch to a message, and its path from the root.
      for (let next: ContextRow | undefined = row; next; next = next.children().at(-1)) row = next;
      assert.ok(row.kind === 'message');
      assert.deepEqual(way(findRow(source, row)), way(row));
      return looked;
    };
    const small = work(longSession(200));
    const large = work(longSession(10_000));
    assert.ok(large <= small * 2, `${large} looks at the state against ${small}`);
  });

  it('can be filtered by kind of key event, by warnings, and by text', async () => {
    const conversation = await harness.compressed(200, (n) =>
      n === 8 ? 'We decided to use the copper valve for tank 7.' : `Part ${n} of it.`,
    );
    const { state } = conversation;
    const search = new SessionSearch(() => state, harness.clock);
    await search.updateIndex();
    const source = sourceOf(conversation);
    const left = async (filter: TreeFilter): Promise<ContextRow[]> =>
      filterRow(source, filter, filter.by === 'text' ? await search.search(filter.text, 20) : []).children();
    // Many rows of a kind are grouped in ranges.
    const decided = (await left({ by: 'kind', of: 'decision' })).flatMap((row) =>
      row.kind === 'range' ? row.children() : [row],
    );
    assert.ok(decided.some((row) => row.kind === 'event' && row.event.quote.includes('copper valve')));
    assert.ok(decided.every((row) => row.kind === 'event' && row.event.kind === 'decision'));
    const found = await left({ by: 'text', text: 'copper valve' });
    assert.ok(found.length > 0);
    const position = (row: ContextRow): number | undefined =>
      row.kind === 'message'
        ? state.positionOf(row.message)
        : row.kind === 'event'
          ? state.positionOf(row.event.message)
          : undefined;
    assert.equal(position(found[0]!), 8);
    // Each has the same path in the whole tree.
    for (const row of found)
      if (row.kind === 'node' || row.kind === 'message' || row.kind === 'event') assert.ok(findRow(source, row));
    assert.deepEqual(await left({ by: 'text', text: 'zebra' }), []);
    assert.deepEqual(await left({ by: 'warnings' }), []);
    const { id } = state.frontier[0]!.node;
    const node = state.nodes.get(id)!;
    const audit = { ...node.audit, faults: [{ kind: 'unknown_quote' as const, text: 'never said' }] };
    await conversation.journal.append({ type: 'node_replaced', node: { ...node, audit } });
    const warned = (await left({ by: 'warnings' })).map((row) => row.kind === 'node' && row.node);
    assert.deepEqual(warned, [id]);
  });
});

describe('rows of the summary tree', () => {
  it('show a key event with its speaker', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.compressed(60, (n) =>
      n === 8 ? 'Karim: Sounds good to me. My budget is 700 euros.' : `Part ${n} of it.`,
    );
    const { events } = conversation.state;
    const [event] = [...events.values()].filter(({ quote }) => quote.includes('700'));
    assert.ok(event);
    const rows = filterRow(sourceOf(conversation), { by: 'kind', of: event.kind }, []).children();
    assert.ok(rows.some(({ item }) => item.label === 'Karim: … My budget is 700 euros.'));
  });

  it('keep the order of the numbers after a label in Arabic or Hebrew', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.filled(2, (n) => (n === 0 ? 'הפורט הוא 8443' : 'The port.'));
    const hits = conversation.state.path.map((message) => ({ kind: 'message', message }));
    const filter = filterRow(sourceOf(conversation), { by: 'text', text: '' }, hits as never);
    const labels = filter.children().map(({ item }) => item.label);
    assert.deepEqual(labels, ['\u2068הפורט הוא 8443\u2069', 'The port.']);
  });
});

describe('the context chart', () => {
  it('rises with messages, falls at each compression that is not undone, and is well-formed SVG', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.filled(2, (n) =>
      n === 0 ? 'We decided to use port 8401 for <b>the "gateway"</b>.' : 'Fine.',
    );
    await fill(conversation, 78);
    await conversation.setTask('A & B', []);
    assert.equal((await conversation.compressNow()).kind, 'committed');
    await conversation.resetTask();
    await fill(conversation, 20);
    const { state, counts } = conversation;
    const series = contextSeries(state, counts, 10);
    assert.equal(series.messages, 100);
    assert.equal(series.marks.filter(({ kind }) => kind === 'compression').length, 1);
    assert.equal(series.marks.filter(({ kind }) => kind === 'reset').length, 1);
    assert.ok(series.marks.some(({ kind }) => kind === 'event'));
    const { before, after } = state.compressions[0]!.tokens;
    const peak = series.points.findIndex(({ tokens }) => tokens === before);
    assert.equal(series.points[peak + 1]?.tokens, after);
    const svg = chartSvg(series, 1000);
    assert.match(svg, /^<svg xmlns/);
    assert.ok(!svg.includes('<b>') && svg.includes('A &amp; B'));
    // The line shows its values on hover, and a compression is shown at its resulting size.
    const { at, tokens } = series.points.at(-1)!;
    assert.ok(svg.includes(`<title>${at} messages · ${tokens.toLocaleString('en')} tokens</title>`));
    const heights = [...svg.matchAll(/class="knot" cx="[\d.]+" cy="([\d.]+)"/g)].map(([, height]) => Number(height));
    assert.ok(heights.length > 0 && heights.every((height) => height > 30), String(heights));
    // Round numbers on the axes.
    const numbers = [...svg.matchAll(/text-anchor="(?:end|middle)"[^>]*>([\d,]+)</g)].map(([, number]) =>
      Number(number?.replaceAll(',', '')),
    );
    assert.ok(
      numbers.length > 6 && numbers.every((number) => number === Number(number.toPrecision(2))),
      String(numbers),
    );
    // No label covers another, wherever the budget is.
    for (const budget of [1_200, 50_000, 49_500, 48_000, 40_000]) {
      const labels = [...chartSvg(series, budget).matchAll(/x="72" y="(\d+)"|x="78" y="([\d.]+)"/g)];
      const heights = labels.map(([, axis, own]) => Number(axis ?? own)).sort((a, b) => a - b);
      assert.ok(heights.length === 3 && heights[1]! - heights[0]! >= 14, String(heights));
    }
    // A quote that was cut within a character or contains control characters isn't valid XML.
    const odd = { ...series, marks: [{ kind: 'event' as const, at: 1, label: '\u001b[1m red \ud83d' }] };
    const oddSvg = chartSvg(odd, 1000);
    assert.ok(oddSvg.isWellFormed() && oddSvg.includes('\ufffd[1m red \ufffd'));
    await undoCompressions(conversation.journal, [state.compressions[0]!.id], true);
    assert.equal(contextSeries(state, counts, 10).marks.filter(({ kind }) => kind === 'compression').length, 0);
  });
});
