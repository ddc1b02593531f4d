import { SessionSearch } from '../../../src/app/session-search.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { messageId, type NodeId } from '../../../src/core/model/ids.ts';
import { contentOf } from '../../../src/core/transcript/transcript-message.ts';
import { childrenOf } from '../../../src/host/summaries/tree/children.ts';
import { EventIndex } from '../../../src/host/summaries/tree/event-index.ts';
import { filteredRows, warnedNodes, type TreeFilter } from '../../../src/host/summaries/tree/filter.ts';
import { parentOf } from '../../../src/host/summaries/tree/parents.ts';
import { rowId, type Row } from '../../../src/host/summaries/tree/rows.ts';
import type { TreeSource } from '../../../src/host/summaries/tree/tree-source.ts';
import { Desk } from '../../unit/app/desk.ts';
import { Random } from '../data/random.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { quantile } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';

const SHORT = 100;
const LONG = 10_000;
/** Rows opened, filters set and rows looked up; both sessions go by turns. */
const TIMES: Readonly<Record<Act, number>> = { expand: 301, filter: 301, search: 25, reveal: 301 };
/** As many before, so that the code has been compiled. */
const COMPILED: Readonly<Record<Act, number>> = { expand: 2_000, filter: 2_000, search: 3, reveal: 2_000 };
/** What an act may cost in the long session against the short one. */
const MOST_DEARER = 1.5;
/** Bytes read between two acts, more than the caches of most processors hold, and the bytes that these keep as one. */
const SWEPT = 48 * 1024 * 1024;
const LINE = 64;
/** Rows that can be opened, drawn from all over the tree. */
const DRAWN = 500;

const ACT_NAMES = ['expand', 'filter', 'search', 'reveal'] as const;
type Act = (typeof ACT_NAMES)[number];

/**
 * What a user's acts in the *Summaries* view cost the host in a long session against a short one, for each act, which is
 * what a user feels, and for each row that it gives. `test/ui/summaries-pace.test.ts` times the same acts in the editor,
 * from the click to the row.
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
    for (const act of ACT_NAMES) {
      const [short, grown] = measureAct(act, views);
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
        target: { atMost: MOST_DEARER },
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

/** Of one act: its time in µs and the rows that it gives. */
interface Spent {
  readonly us: number;
  readonly rows: number;
}

/**
 * Medians of an act in both views, which go by turns. A user acts once, after the machine has done other things: each act
 * is timed by itself, and before it the processor's caches are filled with something else. Else a session that is small
 * enough to stay in them would be compared with one that is not.
 */
function measureAct(act: Act, views: readonly [View, View]): readonly [Spent, Spent] {
  const random = new Random(1);
  for (let n = 0; n < COMPILED[act]; n++) for (const view of views) ACTS[act](view, random)();
  const times: [number[], number[]] = [[], []];
  const rows: [number, number] = [0, 0];
  for (let n = 0; n < TIMES[act]; n++)
    for (const at of [0, 1] as const) {
      const acted = ACTS[act](views[at], random);
      sweepCaches();
      const start = process.hrtime.bigint();
      rows[at] += acted();
      times[at].push(Number(process.hrtime.bigint() - start) / 1000);
    }
  const spent = (at: 0 | 1): Spent => ({ us: quantile(times[at], 0.5), rows: rows[at] / TIMES[act] });
  return [spent(0), spent(1)];
}

const elsewhere = new Int32Array(SWEPT / Int32Array.BYTES_PER_ELEMENT);

/** Reads and writes one number of each line of the caches. */
function sweepCaches(): void {
  for (let at = 0; at < elsewhere.length; at += LINE / Int32Array.BYTES_PER_ELEMENT) elsewhere[at]! += at;
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

/** What is drawn is drawn beforehand. Each act gives the rows that it came by; a filter's own row is one. */
const ACTS: Readonly<Record<Act, (view: View, random: Random) => () => number>> = {
  expand: ({ source, rows }, random) => {
    const row = random.pick(rows);
    return () => named(childrenOf(source, row));
  },
  filter: (view, random) => {
    const filter: TreeFilter =
      random.next() < 0.5 ? { by: 'kind', of: random.pick(view.source.events().kinds()) } : { by: 'warnings' };
    return () => narrowed(view, filter);
  },
  search: (view, random) => {
    const filter: TreeFilter = { by: 'text', text: random.pick(view.asked) };
    return () => narrowed(view, filter);
  },
  /** From a message up to the topmost row, as the editor does to reveal it. */
  reveal: ({ source }, random) => {
    const { state } = source;
    const covered = state.frontier.at(-1)?.to ?? 0;
    const message = state.path[Math.floor(random.next() * covered)]!;
    return () => {
      const rows: Row[] = [];
      for (let row: Row | undefined = { kind: 'message', message }; row; row = parentOf(source, row)) rows.push(row);
      return named(rows);
    };
  },
};

function narrowed({ source, search, warned }: View, filter: TreeFilter): number {
  const all = { ...source, warned: () => warned, search: (text: string, limit: number) => search.search(text, limit) };
  return named(filteredRows(all, filter, { kind: 'filter', name: filter.by })) + 1;
}

/** Gives each row its id, as the editor is given it. */
const named = (rows: readonly Row[]): number => rows.filter((row) => rowId(row) !== '').length;
