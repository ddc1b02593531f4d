import { retentionPriorityOf } from '../events/ledger-budget.ts';
import type { KeyEventId, NodeId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Level } from '../model/summary.ts';
import { firstIndexWhere } from '../search/binary-search.ts';
import type { FrontierItem } from '../state/frontier.ts';
import type { PrefixFacts } from '../state/session-state.ts';
import type { CountedText, MessageCounts } from '../tokens/message-counts.ts';
import { renderEvent } from './render-context.ts';

/** The level at which a node is sent. If it has no text at that level, its detailed text is sent (see `nodeText`). */
export function sentLevelOf({ levels }: Pick<PrefixFacts, 'levels'>, node: NodeId): Level {
  return levels.get(node) ?? 'detailed';
}

/** Number of frontier nodes up to the last `brief` one. They should stay the same, for the provider's prompt cache. */
export const countSettledNodes = (state: PrefixFacts): number =>
  state.frontier.findLastIndex((item) => sentLevelOf(state, item.node.id) === 'brief') + 1;

export interface LedgerLine {
  readonly event: KeyEvent;
  readonly line: string;
  readonly position: number;
  readonly tokens: number;
}

/**
 * The ledger's lines, oldest first: active and pinned events whose message isn't sent verbatim anymore. Once part of
 * the session is settled (see `countSettledNodes`), a superseded event stays until the event that replaces it is
 * settled, too, because removing a line changes the request from there on. If the lines exceed the budget (tokens),
 * superseded events are left out first, then those with the lowest priority, which are returned as `leftOut`. Pinned
 * events always stay.
 */
export function selectLedgerLines(
  state: PrefixFacts,
  counts: MessageCounts,
  budget: number,
): { readonly kept: readonly LedgerLine[]; readonly leftOut: KeyEvent[] } {
  const isCovered = createCoverageTest(state.frontier);
  const settledTo = state.frontier[countSettledNodes(state) - 1]?.to ?? -1;
  let maxDroppedPriority: number | undefined;
  const isCurrent = (event: KeyEvent): boolean => event.pinned || state.isCurrent(event);
  const entries: LedgerLine[] = [];
  for (const event of state.events.values()) {
    // Most events of a long session are dropped, so this check comes before looking up positions.
    if (event.status === 'dropped' && !event.pinned) continue;
    if (!isCurrent(event)) {
      if (settledTo < 0 || !isReplacedAfter(state, event, settledTo, isCovered)) continue;
      // An event that had no room before it was superseded stays left out.
      if (retentionPriorityOf({ ...event, status: 'active' }) <= (maxDroppedPriority ??= highestDroppedPriority(state)))
        continue;
    }
    const position = state.positionOf(event.message);
    if (position === undefined || !isCovered(position) || state.isRemoved(event.id)) continue;
    const role = state.messages.place(event.message)?.role ?? 'user';
    const { text, tokens } = countedLine(counts, event, position, role);
    entries.push({ event, line: text, position, tokens });
  }
  entries.sort((a, b) => a.position - b.position || a.event.start - b.event.start);
  let used = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  if (used <= budget) return { kept: entries, leftOut: [] };
  const dropped = new Set<KeyEvent>();
  const priorityOf = (event: KeyEvent): number =>
    isCurrent(event) ? retentionPriorityOf({ ...event, status: 'active' }) : -1;
  const byPriority = entries
    .filter((entry) => !entry.event.pinned)
    .sort((a, b) => priorityOf(a.event) - priorityOf(b.event));
  for (const entry of byPriority) {
    if (used <= budget) break;
    used -= entry.tokens;
    dropped.add(entry.event);
  }
  return {
    kept: entries.filter((entry) => !dropped.has(entry.event)),
    leftOut: [...dropped].filter(isCurrent),
  };
}

/** `pinned` and `active` events are sent verbatim; `dropped` ones are left out for lack of room. */
export type EventStatus = 'pinned' | 'active' | 'superseded' | 'dropped';

/** Undefined for a key event that isn't on the active branch or that the user has removed. */
export function eventStatusOf(
  state: Pick<PrefixFacts, 'positionOf' | 'isRemoved' | 'isCurrent'>,
  event: KeyEvent,
  leftOut: ReadonlySet<KeyEventId>,
): EventStatus | undefined {
  if (state.positionOf(event.message) === undefined || state.isRemoved(event.id)) return undefined;
  if (event.pinned) return 'pinned';
  if (event.status === 'dropped' || leftOut.has(event.id)) return 'dropped';
  return state.isCurrent(event) ? 'active' : 'superseded';
}

/** The key events of the active branch that the user hasn't removed. */
export const eventsOnBranch = (state: Pick<PrefixFacts, 'events' | 'positionOf' | 'isRemoved'>): KeyEvent[] =>
  [...state.events.values()].filter(
    ({ id, message }) => !state.isRemoved(id) && state.positionOf(message) !== undefined,
  );

/** `total`: key events that aren't superseded; `kept`: those of them that are sent verbatim. All views show these. */
export function keyEventCounts(
  state: PrefixFacts,
  leftOut: ReadonlySet<KeyEventId>,
): { readonly kept: number; readonly total: number } {
  const statuses = [...state.events.values()].map((event) => eventStatusOf(state, event, leftOut));
  const kept = statuses.filter((status) => status === 'pinned' || status === 'active').length;
  return { kept, total: kept + statuses.filter((status) => status === 'dropped').length };
}

/** An event's line with its tokens. `position` (0-based, on the active branch) and `role` are those of its message. */
export function countedLine(counts: MessageCounts, event: KeyEvent, position: number, role: string): CountedText {
  const { id, kind, quote, quoted = false, speaker = '', about } = event;
  const from = [kind, quote, quoted, speaker, about?.quote ?? '', position, role];
  // Including the line break.
  return counts.part({ key: id, from, render: () => renderEvent(event, position, role) }, '\n');
}

function highestDroppedPriority(state: PrefixFacts): number {
  let highest = 0;
  for (const event of state.events.values())
    if (event.status === 'dropped') highest = Math.max(highest, retentionPriorityOf(event));
  return highest;
}

/** Whether the event that replaced this one is in a message after `position` that isn't sent verbatim anymore. */
function isReplacedAfter(
  state: PrefixFacts,
  { status, link }: KeyEvent,
  position: number,
  isCovered: (position: number) => boolean,
): boolean {
  const replacement = status === 'superseded' && link !== undefined ? state.events.get(link) : undefined;
  const at = replacement && state.positionOf(replacement.message);
  return at !== undefined && at > position && isCovered(at);
}

export function createCoverageTest(
  frontier: readonly Pick<FrontierItem, 'from' | 'to'>[],
): (position: number) => boolean {
  return (position) => frontierItemAt(frontier, position) !== undefined;
}

export function frontierItemAt<Item extends Pick<FrontierItem, 'from' | 'to'>>(
  frontier: readonly Item[],
  position: number,
): Item | undefined {
  const item = frontier[firstIndexWhere(frontier.length, (index) => frontier[index]!.to >= position)];
  return item !== undefined && item.from <= position ? item : undefined;
}
