import type { SessionSummary } from '../app/ports.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { Message, Role } from '../core/model/message.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { SNAPSHOT_VERSION, type SessionSnapshot, type Snapshots } from './snapshot-schema.ts';

/** What the editor's state may hold in all, in bytes of JSON: it is shipped whole at each update, to every window. */
export const SNAPSHOTS_BYTES = 256 * 1024;
/** One live session's part of it. */
export const SESSION_BYTES = 160 * 1024;
/** The parts of a session's: pinned and active key events, nodes, the newest messages. */
const LEDGER_BYTES = 48 * 1024;
const FRONTIER_BYTES = 40 * 1024;
export const BODIES_BYTES = 64 * 1024;
/** The index entries' part of the whole. */
const INDEX_BYTES = 64 * 1024;
/** A title, path or name is cut here (UTF-16 units): one of them must not push everything else out. */
const NAME_LENGTH = 300;
const TASK_BYTES = 16 * 1024;

/**
 * A session's snapshot of at most `limit` bytes. It is filled in this order, each part from the newest back, and what
 * finds no room is counted in `left`: names, counters and the task; pinned, then active key events; the frontier's
 * nodes (brief and detailed texts only); the messages behind the last node; key events that are not active.
 * Undefined for a session that has no id yet.
 */
export function snapshotSession(state: SessionState, limit = SESSION_BYTES): SessionSnapshot | undefined {
  if (state.id === undefined) return undefined;
  const taskFits = state.task !== undefined && bytesOf(state.task) <= TASK_BYTES;
  const base: SessionSnapshot = {
    id: state.id,
    title: name(state.title),
    workspace: name(state.workspace),
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    archived: state.archived,
    pinned: state.pinned,
    deleted: state.deleted,
    ...(state.provider !== undefined && { provider: name(state.provider) }),
    ...(state.model !== undefined && { model: name(state.model) }),
    ...(state.policy !== undefined && { policy: name(state.policy) }),
    head: state.head,
    ...(taskFits && { task: state.task }),
    ...(state.lastCompressedAt !== undefined && { lastCompressedAt: state.lastCompressedAt }),
    counters: { ...state.counters },
    ledger: [],
    frontier: [],
    bodies: [],
    left: { ledger: 0, frontier: 0, bodies: 0 },
  };
  // Room for the digits of `left`.
  const room = new Room(limit - bytesOf(base) - 64);

  const ledger = [...state.events.values()].filter((event) => !state.isRemoved(event.id)).reverse();
  const window = windowOf(state);

  const pinnedFirst = [...ledger.filter((event) => event.pinned), ...ledger.filter(isActive)];
  const active = room.within(LEDGER_BYTES).take(pinnedFirst);
  room.spend(active);
  const quoted = active.flatMap(({ message }) => state.positionOf(message) ?? []);
  const placesOf = (positions: readonly number[]): Place[] =>
    [...new Set(positions)].sort((a, b) => a - b).map((position) => placeOf(state, position));
  const frontier = state.frontier.map(({ node, from, to }) => {
    const level = state.levels.get(node.id);
    const places = placesOf([from, ...quoted.filter((position) => from < position && position < to), to]);
    return { node: lean(node), ...(level && { level }), places };
  });
  const nodes = room.within(FRONTIER_BYTES).takeRun(frontier.toReversed());
  room.spend(nodes);
  const oldest = nodes.at(-1);
  if (oldest) {
    // It stands for what the nodes before it have left in the ledger, too.
    const from = state.positionOf(oldest.node.first)!;
    const before = room.take(placesOf(quoted.filter((position) => position < from)));
    nodes[nodes.length - 1] = { ...oldest, places: [...before, ...oldest.places] };
  }
  const bodies = room.within(BODIES_BYTES).takeRun(window.newestFirst());
  room.spend(bodies);
  const others = room.take(ledger.filter((event) => !event.pinned && !isActive(event)));

  const kept = new Set([...active, ...others]);
  return {
    ...base,
    ledger: ledger.filter((event) => kept.has(event)).reverse(),
    frontier: nodes.reverse(),
    bodies: bodies.reverse(),
    left: {
      ledger: ledger.length - kept.size,
      frontier: frontier.length - nodes.length,
      bodies: window.length - bodies.length,
    },
  };
}

export interface OwnPart {
  /** The workspace that this window has open. */
  readonly workspace: string;
  /** All sessions that the folder of journals holds, whatever their workspace, if they were listed. */
  readonly index: readonly SessionSummary[];
  readonly live: readonly SessionSnapshot[];
}

/**
 * All that is kept, at most `SNAPSHOTS_BYTES`: this window's part, then what others had kept as far as there is room.
 * The index drops its oldest entries first, those of other workspaces before this one's; live sessions go from the
 * one that was changed longest ago, this window's last.
 */
export function joinSnapshots(own: OwnPart, others: Snapshots | undefined): Snapshots {
  const here = (entry: { readonly workspace: string }): number => (entry.workspace === own.workspace ? 0 : 1);
  const order = (a: Aged, b: Aged): number => here(a) - here(b) || b.updatedAt - a.updatedAt;
  const index = newest([...own.index, ...(others?.index ?? [])])
    .map((entry) => ({ ...entry, title: name(entry.title), workspace: name(entry.workspace) }))
    .sort(order);
  const ownIds = new Set(own.live.map(({ id }) => id));
  const liveElsewhere = (others?.live ?? []).filter(
    ({ id, workspace }) => !ownIds.has(id) && workspace !== own.workspace,
  );

  const room = new Room(SNAPSHOTS_BYTES - bytesOf({ v: SNAPSHOT_VERSION, index: [], live: [] }));
  const indexRoom = new Room(INDEX_BYTES);
  const entries = indexRoom.takeRun(index);
  room.spend(entries);
  return {
    v: SNAPSHOT_VERSION,
    index: entries,
    live: room.take([...[...own.live].sort(order), ...liveElsewhere.sort(order)]),
  };
}

/** The size of a value as JSON in UTF-8, in bytes. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

type Aged = Pick<SessionSummary, 'id' | 'workspace' | 'updatedAt'>;

// Of two entries for one session the later one, wherever it comes from.
function newest(entries: readonly SessionSummary[]): SessionSummary[] {
  const byId = new Map<string, SessionSummary>();
  for (const entry of entries) {
    const known = byId.get(entry.id);
    if (!known || known.updatedAt < entry.updatedAt) byId.set(entry.id, entry);
  }
  return [...byId.values()];
}

// Structure and full text can be made again from the journal; without it the two levels that are sent remain.
function lean(node: SummaryNode): SummaryNode {
  const { full, structured, ...rest } = node;
  const { full: tokens, ...others } = node.tokens;
  return { ...rest, tokens: others };
}

type Place = readonly [id: MessageId, role: Role];

function placeOf(state: SessionState, position: number): Place {
  const id = state.path[position]!;
  return [id, state.messages.place(id)?.role ?? 'user'];
}

/** The active branch's messages behind the last node. */
function windowOf(state: SessionState): { readonly length: number; newestFirst(): Generator<Message> } {
  const from = (state.frontier.at(-1)?.to ?? -1) + 1;
  return {
    length: state.path.length - from,
    *newestFirst() {
      for (let position = state.path.length - 1; position >= from; position--) {
        const message = state.messages.get(state.path[position]!);
        if (message) yield message;
      }
    },
  };
}

function isActive(event: KeyEvent): boolean {
  return !event.pinned && event.status === 'active';
}

/** True for names that stand in full in a snapshot or an index entry. */
export function isWhole({ title, workspace }: { readonly title: string; readonly workspace: string }): boolean {
  return title.length < NAME_LENGTH && workspace.length < NAME_LENGTH;
}

function name(text: string): string {
  return text.length > NAME_LENGTH ? text.slice(0, NAME_LENGTH) : text;
}

/** Bytes that are still free in a list of JSON values. */
class Room {
  left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  /** Those of the items that fit, each tried in its turn. */
  take<T>(items: Iterable<T>): T[] {
    const taken: T[] = [];
    for (const item of items) if (this.#fits(item)) taken.push(item);
    return taken;
  }

  /** The items up to the first one that does not fit. */
  takeRun<T>(items: Iterable<T>): T[] {
    const taken: T[] = [];
    for (const item of items) {
      if (!this.#fits(item)) break;
      taken.push(item);
    }
    return taken;
  }

  /** A part of this room, at most `bytes`; what is taken there must be spent here. */
  within(bytes: number): Room {
    return new Room(Math.min(bytes, this.left));
  }

  spend(items: readonly unknown[]): void {
    for (const item of items) this.left -= bytesOf(item) + 1;
  }

  #fits(item: unknown): boolean {
    const bytes = bytesOf(item) + 1;
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }
}
