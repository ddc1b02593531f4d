import { SessionSearch } from '../../../src/app/session-search.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';
import { messageId, type NodeId } from '../../../src/core/model/ids.ts';
import { contentOf } from '../../../src/core/transcript/transcript-message.ts';
import { childrenOf } from '../../../src/host/tree/children.ts';
import { EventIndex } from '../../../src/host/tree/event-index.ts';
import { filteredRows, warnedNodes } from '../../../src/host/tree/filter.ts';
import { parentOf } from '../../../src/host/tree/parents.ts';
import type { Row } from '../../../src/host/tree/rows.ts';
import type { TreeSource } from '../../../src/host/tree/tree-source.ts';
import { Desk } from '../../unit/app/desk.ts';
import { Random } from '../data/random.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { cpuMs, quantile } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';

const SHORT = 100;
const LONG = 10_000;
/** Rows opened, filters set and rows looked up in one round; rounds go by turns. */
const TIMES = 3_000;
const ROUNDS = 9;
/** Rows that can be opened, drawn from all over the tree. */
const DRAWN = 500;

type Act = 'expand' | 'filter' | 'reveal';
const ACTS: readonly Act[] = ['expand', 'filter', 'reveal'];

/**
 * What a user's acts in the *Summaries* view cost the host in a long session against a short one. All are a few
 * microseconds, so the ratios have no limit.
 */
export async function measureTree(context: BenchContext): Promise<Measured> {
  const long = context.quick ? 2_000 : LONG;
  context.say(`the view of summaries: ${SHORT} and ${long} messages`);
  const desks = [await Desk.open(), await Desk.open()] as const;
  try {
    const views = [await viewOf(desks[0], SHORT, context), await viewOf(desks[1], long, context)] as const;
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const act of ACTS) {
      const spent: [number[], number[]] = [[], []];
      const rows: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++)
        for (const at of [0, 1] as const) {
          const random = new Random(round + 1);
          const view = views[at];
          let given = 0;
          const ms = await cpuMs(() => {
            for (let n = 0; n < TIMES; n++) given += ACTIONS[act](view, random);
            return Promise.resolve();
          });
          spent[at].push(ms / given);
          rows[at].push(given / TIMES);
        }
      figures.push({
        id: `speed.tree.${act}`,
        label: `view of summaries, ${NAMES[act]}, for each row: ${long.toLocaleString('en-US')} messages against ${SHORT}`,
        value: quantile(spent[1], 0.5) / quantile(spent[0], 0.5),
        unit: '×',
      });
      const [few, many] = [quantile(rows[0], 0.5), quantile(rows[1], 0.5)];
      notes.push(
        `View of summaries, ${NAMES[act]}: ${(quantile(spent[1], 0.5) * many * 1000).toFixed(1)} µs for ${many.toFixed(1)} rows ` +
          `at ${long.toLocaleString('en-US')} messages, ${(quantile(spent[0], 0.5) * few * 1000).toFixed(1)} µs for ${few.toFixed(1)} at ${SHORT}.`,
      );
    }
    return { figures, notes };
  } finally {
    for (const desk of desks) await desk.close();
  }
}

const NAMES: Readonly<Record<Act, string>> = {
  expand: 'opening a row',
  filter: 'filtering',
  reveal: 'finding a row from below',
};

interface View {
  readonly conversation: Conversation;
  readonly source: TreeSource;
  readonly search: SessionSearch;
  readonly warned: readonly NodeId[];
  /** Rows that can be opened. */
  readonly rows: readonly Row[];
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
  return { conversation, source, search, warned: warnedNodes(state), rows: drawRows(source, new Random(1)) };
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
  expand: ({ source, rows }, random) => childrenOf(source, random.pick(rows)).length,
  filter: ({ source, search, warned }, random) =>
    filteredRows(
      { ...source, warned: () => warned, search: (text, limit) => search.search(text, limit) },
      random.next() < 0.5 ? { by: 'kind', of: random.pick(KEY_EVENT_KINDS) } : { by: 'warnings' },
    ).length + 1,
  /** From a message up to the topmost row, as the editor does to reveal it. */
  reveal: ({ source }, random) => {
    const { state } = source;
    const covered = state.frontier.at(-1)?.to ?? 0;
    const message = state.path[Math.floor(random.next() * covered)]!;
    let row: Row | undefined = { kind: 'message', message };
    let rows = 0;
    for (; row; row = parentOf(source, row)) rows++;
    return rows;
  },
};
