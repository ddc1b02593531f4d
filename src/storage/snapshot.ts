import * as v from 'valibot';
import type { SessionListEntry } from '../app/ports.ts';
import { compressionWith, type SessionEvent } from '../core/journal/schema.ts';
import { amountSchema, messageIdSchema, readonlyList } from '../core/model/field-schemas.ts';
import { compressionId, type MessageId } from '../core/model/ids.ts';
import { keyEventSchema, type KeyEvent } from '../core/model/key-event.ts';
import { messageSchema, ROLES, type Message, type Role } from '../core/model/message.ts';
import { listedFields, sessionListEntrySchema } from '../core/model/session-list-entry.ts';
import { levelSchema, summaryNodeSchema, type SummaryNode } from '../core/model/summary.ts';
import { taskSchema } from '../core/model/task.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { truncate } from '../core/text/truncate.ts';
import { listEntryOf } from './checkpoint.ts';

/** The version of the snapshot format. Snapshots of later versions are never overwritten. */
export const SNAPSHOT_VERSION = 1;

/** Maximum bytes of all snapshots as JSON, because each update sends the whole value to every window. */
export const SNAPSHOTS_BYTES = 256 * 1024;
/** Maximum size of a session's snapshot. */
const SESSION_BYTES = 160 * 1024;
/** Maximum sizes, in bytes, of a snapshot's pinned and active key events, its nodes, and its newest messages. */
const LEDGER_BYTES = 48 * 1024;
const FRONTIER_BYTES = 40 * 1024;
export const BODIES_BYTES = 64 * 1024;
/** Maximum size of all index entries, in bytes. */
const INDEX_BYTES = 64 * 1024;
/** Maximum length of titles, paths, and names in UTF-16 units, so that none of them displaces everything else. */
const MAX_NAME_LENGTH = 300;
const TASK_BYTES = 16 * 1024;

const placeSchema = v.pipe(v.tuple([messageIdSchema, v.picklist(ROLES)]), v.readonly());
type Place = v.InferOutput<typeof placeSchema>;

/** The part of a session's state that has a bounded size, from which it's restored if its journal is lost. */
const sessionSnapshotSchema = v.object({
  ...listedFields,
  provider: v.optional(v.string()),
  model: v.optional(v.string()),
  policy: v.optional(v.string()),
  task: v.optional(taskSchema),
  counters: v.object({
    /** Missing in older data. */
    messagesEver: v.optional(amountSchema),
    compressionTokens: amountSchema,
    compressionCostUsd: amountSchema,
    chatTokens: amountSchema,
    chatCostUsd: amountSchema,
  }),
  ledger: readonlyList(keyEventSchema),
  frontier: readonlyList(
    v.object({
      node: summaryNodeSchema,
      level: v.optional(levelSchema),
      /** Covered messages, with their roles, that are restored as placeholders; missing in older data. */
      places: v.optional(readonlyList(placeSchema)),
    }),
  ),
  bodies: readonlyList(messageSchema),
});
export type SessionSnapshot = v.InferOutput<typeof sessionSnapshotSchema>;

const validItems = <S extends v.GenericSchema<unknown, object>>(item: S) =>
  v.pipe(
    v.array(v.fallback(v.nullable(item), null)),
    v.transform((items): readonly v.InferOutput<S>[] => items.filter((one) => one !== null)),
  );

const snapshotsSchema = v.object({
  v: v.literal(SNAPSHOT_VERSION),
  // Missing in some versions before the first release.
  index: v.optional(validItems(sessionListEntrySchema), []),
  live: validItems(sessionSnapshotSchema),
});

/** The snapshots of all workspaces, as stored in VS Code's global state. */
export type Snapshots = v.InferOutput<typeof snapshotsSchema>;

export type ReadSnapshots =
  | { readonly kind: 'valid'; readonly snapshots: Snapshots }
  /** No snapshots were ever stored. */
  | { readonly kind: 'none' }
  /** Written by a later version; must not be overwritten. */
  | { readonly kind: 'newer' }
  /** Must be rebuilt from the journals. */
  | { readonly kind: 'corrupt' };

/** Validates stored snapshots. Never throws. */
export function readSnapshots(raw: unknown): ReadSnapshots {
  if (raw === undefined || raw === null) return { kind: 'none' };
  const parsed = v.safeParse(snapshotsSchema, raw);
  if (parsed.success) return { kind: 'valid', snapshots: parsed.output };
  const isNewer = v.is(v.looseObject({ v: v.pipe(v.number(), v.integer(), v.gtValue(SNAPSHOT_VERSION)) }), raw);
  return { kind: isNewer ? 'newer' : 'corrupt' };
}

/**
 * A session's snapshot with at most `SESSION_BYTES`. Filled in this order, each part from the newest back: names,
 * counters, and the task; pinned and then active key events; frontier nodes (only brief and detailed texts); messages
 * after the last node; inactive key events. Undefined for a session without an ID.
 */
export function snapshotSession(state: SessionState): SessionSnapshot | undefined {
  if (state.id === undefined) return undefined;
  const { provider, model, policy, task } = state;
  const { messages: _messages, ...listed } = listEntryOf(state.id, state);
  const { compressions: _compressions, ...counters } = state.counters;
  const base: SessionSnapshot = {
    ...withShortNames(listed),
    ...(provider !== undefined && { provider: shortened(provider) }),
    ...(model !== undefined && { model: shortened(model) }),
    ...(policy !== undefined && { policy: shortened(policy) }),
    ...(task && bytesOf(task) <= TASK_BYTES && { task }),
    counters,
    ledger: [],
    frontier: [],
    bodies: [],
  };
  const room = new ByteBudget(SESSION_BYTES - bytesOf(base));
  const ledger = [...state.events.values()].filter((event) => !state.isRemoved(event.id)).reverse();
  const isActive = (event: KeyEvent): boolean => !event.pinned && event.status === 'active';
  const active = room.take([...ledger.filter((event) => event.pinned), ...ledger.filter(isActive)], LEDGER_BYTES);

  const quotedPositions = active.flatMap(({ message }) => state.positionOf(message) ?? []);
  const placesOf = (positions: readonly number[]): Place[] =>
    [...new Set(positions)]
      .sort((a, b) => a - b)
      .map((position) => {
        const message = state.path[position]!;
        return [message, state.messages.place(message)?.role ?? 'user'];
      });
  const frontier = state.frontier.map(({ node, from, to }) => {
    const level = state.levels.get(node.id);
    const places = placesOf([from, ...quotedPositions.filter((position) => from < position && position < to), to]);
    return { node: withoutFull(node), ...(level && { level }), places };
  });
  const nodes = room.take(frontier.toReversed(), FRONTIER_BYTES, 'run');
  const oldest = nodes.at(-1);
  if (oldest) {
    // The oldest node also stands for older messages that key events quote and whose nodes don't fit.
    const from = state.positionOf(oldest.node.first)!;
    const before = room.take(placesOf(quotedPositions.filter((position) => position < from)));
    nodes[nodes.length - 1] = { ...oldest, places: [...before, ...oldest.places] };
  }
  const bodies = room.take(newestFirst(state), BODIES_BYTES, 'run');
  const others = room.take(ledger.filter((event) => !event.pinned && !isActive(event)));
  const kept = new Set([...active, ...others]);
  return {
    ...base,
    ledger: ledger.filter((event) => kept.has(event)).reverse(),
    frontier: nodes.reverse(),
    bodies: bodies.reverse(),
  };
}

/** Messages of the active branch after the last node, up to the first that is certainly too large for a snapshot. */
function* newestFirst(state: SessionState): Generator<Message> {
  const from = (state.frontier.at(-1)?.to ?? -1) + 1;
  for (let position = state.path.length - 1; position >= from; position--) {
    const message = state.messages.get(state.path[position]!);
    // Converting megabytes to JSON to find their size would block the extension host.
    if (message && contentLength(message) > BODIES_BYTES) return;
    if (message) yield message;
  }
}

/** A lower limit of a message's size as JSON. */
const contentLength = ({ content, attachments = [] }: Message): number =>
  [...content, ...attachments]
    .map((part) => ('base64' in part ? part.base64 : 'json' in part ? part.json : part.text))
    .reduce((sum, { length }) => sum + length, 0);

// Removes the structure and the full text, which only the journal keeps.
function withoutFull(node: SummaryNode): SummaryNode {
  const { full, structured, ...rest } = node;
  const { full: tokens, ...others } = node.tokens;
  return { ...rest, tokens: others };
}

const shortened = (name: string): string => truncate(name, MAX_NAME_LENGTH);

const withShortNames = <T extends { readonly title: string; readonly workspace: string }>(entry: T): T => ({
  ...entry,
  title: shortened(entry.title),
  workspace: shortened(entry.workspace),
});

type OwnPart = Omit<Snapshots, 'v'> & { readonly workspace: string };

/**
 * At most `SNAPSHOTS_BYTES`: this window's snapshot, then other workspaces', most recently changed first. `own.index` is
 * the session list of all workspaces.
 */
export function joinSnapshots(own: OwnPart, others: Snapshots | undefined): Snapshots {
  const isHere = (one: { readonly workspace: string }): number => (one.workspace === own.workspace ? 1 : 0);
  const inOrder = <T extends Pick<SessionListEntry, 'workspace' | 'updatedAt'>>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => isHere(b) - isHere(a) || b.updatedAt - a.updatedAt);
  // Of two entries for the same session, the later one counts, or this window's if they have the same time.
  const entries = [...(others?.index ?? []), ...own.index].sort((a, b) => a.updatedAt - b.updatedAt);
  const index = [...new Map(entries.map((one) => [one.id, one])).values()].map(withShortNames);
  const ownIds = new Set(own.live.map((one) => one.id));
  const elsewhere = (others?.live ?? []).filter((one) => !ownIds.has(one.id) && !isHere(one));
  const room = new ByteBudget(SNAPSHOTS_BYTES - bytesOf({ v: SNAPSHOT_VERSION, index: [], live: [] }));
  return {
    v: SNAPSHOT_VERSION,
    index: room.take(inOrder(index), INDEX_BYTES, 'run'),
    live: room.take([...inOrder(own.live), ...inOrder(elsewhere)]),
  };
}

/** Whether an entry's names aren't truncated. Truncated ones may be one unit shorter than the maximum. */
export const hasFullNames = ({ title, workspace }: Pick<SessionListEntry, 'title' | 'workspace'>): boolean =>
  Math.max(title.length, workspace.length) < MAX_NAME_LENGTH - 1;

/** The size of a value as JSON in UTF-8, in bytes. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Selects items of JSON lists within a number of bytes. */
class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** The items that fit, with at most `limit` bytes. With `run`, only those before the first that doesn't fit. */
  take<T>(items: Iterable<T>, limit = Infinity, how?: 'run'): T[] {
    const taken: T[] = [];
    let left = Math.min(limit, this.#left);
    for (const item of items) {
      const bytes = bytesOf(item) + 1;
      if (bytes <= left) {
        taken.push(item);
        left -= bytes;
        this.#left -= bytes;
      } else if (how === 'run') break;
    }
    return taken;
  }
}

/**
 * The events that recreate a journal from a snapshot. Of the lost messages that a summary covers, the first, the last,
 * and those that key events quote become placeholders, so that summaries and key events keep their positions.
 */
export function snapshotEvents(snapshot: SessionSnapshot): SessionEvent[] {
  const { id: session, title, workspace, provider, model, policy, task, counters, frontier, ledger } = snapshot;
  const events: SessionEvent[] = [{ type: 'session_created', id: session, title, workspace }];
  if (provider !== undefined && model !== undefined) events.push({ type: 'model_selected', provider, model });
  if (policy !== undefined) events.push({ type: 'policy_selected', policy });
  if (snapshot.archived) events.push({ type: 'session_archived', archived: true });
  if (snapshot.pinned) events.push({ type: 'session_pinned', pinned: true });
  if (snapshot.deleted) events.push({ type: 'session_deleted', deleted: true });

  let parent: MessageId | null = null;
  const add = (message: Message): void => {
    events.push({ type: 'message_added', message: { ...message, parent } });
    parent = message.id;
  };
  const parts = frontier.map((part) => ({ ...part, places: part.places ?? endsOf(part.node) }));
  for (const { node, places } of parts) for (const place of places) add(placeholder(node, place));
  for (const message of snapshot.bodies) add(message);

  if (frontier.length > 0 || ledger.length > 0) {
    const messages = counters.messagesEver ?? 0;
    const compression = compressionWith({
      id: compressionId('restored'),
      policy: policy ?? '',
      strategy: 'restored',
      // A summary is only valid if it states the number of messages that it covers, which are the placeholders.
      nodes: parts.map(({ node, places }) => ({
        ...node,
        first: places[0]?.[0] ?? node.first,
        messages: places.length,
        isLost: true,
      })),
      levels: parts.flatMap(({ node, level }) => (level ? [{ node: node.id, level }] : [])),
      events: ledger,
      messages: { before: messages, after: messages },
    });
    events.push({ type: 'compressed', compression });
  }
  if (task) events.push({ type: 'task_set', task });
  const addUsage = (purpose: 'chat' | 'compression', input: number, costUsd: number): void => {
    if (input > 0 || costUsd > 0)
      events.push({ type: 'usage_recorded', purpose, model: model ?? '', usage: { input, output: 0 }, costUsd });
  };
  addUsage('chat', counters.chatTokens, counters.chatCostUsd);
  addUsage('compression', counters.compressionTokens, counters.compressionCostUsd);
  return events;
}

const endsOf = ({ first, last }: SummaryNode): readonly Place[] =>
  [...new Set([first, last])].map((message) => [message, 'user']);

function placeholder(node: SummaryNode, [message, role]: readonly [MessageId, Role]): Message {
  const text = `[The text of this message was lost with the session's file. Only a summary of ${node.messages} messages was kept.]`;
  return { id: message, parent: null, role, content: [{ type: 'text', text }], at: node.at };
}
