import { SessionSearch } from '../../../src/app/session-search.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { messageId, type NodeId } from '../../../src/core/model/ids.ts';
import { contentOf } from '../../../src/core/transcript/transcript-message.ts';
import { childrenOf } from '../../../src/host/tree/children.ts';
import { EventIndex } from '../../../src/host/tree/event-index.ts';
import { filteredRows, warnedNodes, type TreeFilter } from '../../../src/host/tree/filter.ts';
import { parentOf } from '../../../src/host/tree/parents.ts';
import { rowId, type Row } from '../../../src/host/tree/rows.ts';
import type { TreeSource } from '../../../src/host/tree/tree-source.ts';
import { Desk } from '../../unit/app/desk.ts';
import { Random } from '../data/random.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { cpuMs, quantile } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';

const SHORT = 100;
const LONG = 10_000;
/** Rows opened, filters set and rows looked up in one round; rounds go by turns. */
const TIMES: Readonly<Record<Act, number>> = { expand: 3_000, filter: 3_000, search: 5, reveal: 3_000 };
const ROUNDS = 9;
/** Rows that can be opened, drawn from all over the tree. */
const DRAWN = 500;

type Act = 'expand' | 'filter' | 'search' | 'reveal';
const ACTS: readonly Act[] = ['expand', 'filter', 'search', 'reveal'];

/**
 * What a user's acts in the *Summaries* view cost the host in a long session against a short one, for each row that they
 * give and for each act. All are a few microseconds, so the ratios have no limit.
 */
export async function measureTree(context: BenchContext): Promise<Measured> {
  const long = context.quick ? 2_000 : LONG;
  context.say(`the view of summaries: ${SHORT} and ${long} messages`);
  const desks = [await Desk.open(), await Desk.open()] as const;
  try {
    const views = [await viewOf(desks[0], SHORT, context), await viewOf(desks[1], long, context)] as const;
    const figures: Figure[] = [];
    const notes: string[] = [];
    const against = `${long.toLocaleString('en-US')} messages against ${SHORT}`;
    for (const act of ACTS) {
      const [short, grown] = await measureAct(act, views);
      figures.push({
        id: `speed.tree.${act}`,
        label: `view of summaries, ${NAMES[act]}, for each row: ${against}`,
        value: grown.us / grown.rows / (short.us / short.rows),
        unit: '×',
      });
      figures.push({
        id: `speed.tree.${act}.whole`,
        label: `view of summaries, ${NAMES[act]}, as a whole: ${against}`,
        value: grown.us / short.us,
        unit: '×',
      });
      const text = ({ us, rows }: Spent): string => `${us.toFixed(1)} µs for ${rows.toFixed(1)} rows`;
      notes.push(
        `View of summaries, ${NAMES[act]}: ${text(grown)} at ${long.toLocaleString('en-US')} messages, ${text(short)} at ${SHORT}.`,
      );
    }
    return { figures, notes };
  } finally {
    for (const desk of desks) await desk.close();
  }
}

/** Of one act: its time in µs of CPU and the rows that it gives. */
interface Spent {
  readonly us: number;
  readonly rows: number;
}

/** Medians of an act in both views, which go by turns. */
async function measureAct(act: Act, views: readonly [View, View]): Promise<readonly [Spent, Spent]> {
  const spent: [number[], number[]] = [[], []];
  const rows: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const at of [0, 1] as const) {
      const random = new Random(round + 1);
      let given = 0;
      const ms = await cpuMs(() => {
        for (let n = 0; n < TIMES[act]; n++) given += ACTIONS[act](views[at], random);
        return Promise.resolve();
      });
      spent[at].push((ms * 1000) / TIMES[act]);
      rows[at].push(given / TIMES[act]);
    }
  const median = (at: 0 | 1): Spent => ({ us: quantile(spent[at], 0.5), rows: quantile(rows[at], 0.5) });
  return [median(0), median(1)];
}

const NAMES: Readonly<Record<Act, string>> = {
  expand: 'opening a row',
  filter: 'filtering',
  search: 'filtering by words',
  reveal: 'finding a row from below',
};

interface View {
  readonly conversation: Conversation;
  readonly source: TreeSource;
  readonly search: SessionSearch;
  readonly warned: readonly NodeId[];
  /** Rows that can be opened. */
  readonly rows: readonly Row[];
  /** Words of key events. */
  readonly asked: readonly string[];
}

/** A compressed session with what the view keeps while nothing changes. */
async function viewOf(desk: Desk, messages: number, context: BenchContext): Promise<View> {
  const conversation = await desk.converse();
  let parent = conversation.state.head;
  const events = developerMessages(context, messages).map((one, n) => {
    const message = { id: messageId(`m${n}`), parent, role: one.role, content: contentOf(one), at: n };
    parent = message.id;
    return { type: 'message_added', message } as const;
  });
  await conversation.journal.append(...events);
  await conversation.meter.countNew();
  await conversation.compressNow();
  const { state } = conversation;
  const search = new SessionSearch(() => state, desk.clock);
  await search.grow();
  const index = new EventIndex(state, new Set());
  const gauge = {
    ...{ used: 0, budget: 1, contextWindow: 1, reserved: 0, approximate: false, parts: [], droppedEvents: 0 },
    policy: 'balanced',
  };
  const source: TreeSource = { state, events: () => index, gauge: () => gauge };
  const asked = index.kinds().flatMap((kind) =>
    index
      .ofKind(kind)
      .slice(0, 20)
      .map(({ event }) => event.quote.slice(0, 40)),
  );
  return { conversation, source, search, warned: warnedNodes(state), rows: drawRows(source, new Random(1)), asked };
}

/** Rows met on random ways down, with something below them. */
function drawRows(source: TreeSource, random: Random): Row[] {
  const drawn: Row[] = [];
  while (drawn.length < DRAWN) {
    let row: Row = { kind: 'section', section: random.next() < 0.5 ? 'summaries' : 'events' };
    for (let below = childrenOf(source, row); below.length > 0; below = childrenOf(source, row)) {
      drawn.push(row);
      row = random.pick(below);
    }
  }
  return drawn;
}

/** Each gives the rows that it came by; a filter's own row is one. */
const ACTIONS: Readonly<Record<Act, (view: View, random: Random) => number>> = {
  expand: ({ source, rows }, random) => named(childrenOf(source, random.pick(rows))),
  filter: (view, random) =>
    narrowed(
      view,
      random.next() < 0.5 ? { by: 'kind', of: random.pick(view.source.events().kinds()) } : { by: 'warnings' },
    ),
  search: (view, random) => narrowed(view, { by: 'text', text: random.pick(view.asked) }),
  /** From a message up to the topmost row, as the editor does to reveal it. */
  reveal: ({ source }, random) => {
    const { state } = source;
    const covered = state.frontier.at(-1)?.to ?? 0;
    const message = state.path[Math.floor(random.next() * covered)]!;
    let row: Row | undefined = { kind: 'message', message };
    const rows: Row[] = [];
    for (; row; row = parentOf(source, row)) rows.push(row);
    return named(rows);
  },
};

function narrowed({ source, search, warned }: View, filter: TreeFilter): number {
  const all = { ...source, warned: () => warned, search: (text: string, limit: number) => search.search(text, limit) };
  return named(filteredRows(all, filter, { kind: 'filter', name: filter.by })) + 1;
}

/** Gives each row its id, as the editor is given it. */
const named = (rows: readonly Row[]): number => rows.filter((row) => rowId(row) !== '').length;
