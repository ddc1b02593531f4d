import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../src/app/ports.ts';
import type { Context } from '../../../src/core/context/assemble.ts';
import { neutralizeTags } from '../../../src/core/text/prompt-sections.ts';
import { selectLedgerLines } from '../../../src/core/context/ledger-lines.ts';
import { assemblePrefix } from '../../../src/core/context/prefix.ts';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { eventIdAt } from '../../../src/core/events/ledger.ts';
import { startsTurn } from '../../../src/core/compress/cut-segments.ts';
import { sourceHash } from '../../../src/core/compress/source-message.ts';
import type { KeyEventId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { messageText, type Message } from '../../../src/core/model/message.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { MessageCounts } from '../../../src/core/tokens/message-counts.ts';
import {
  MESSAGE_FRAMING_TOKENS,
  REPLY_PRIMING_TOKENS,
  type TokenCounter,
} from '../../../src/core/tokens/token-counter.ts';
import { wordsOf } from './user-marks.ts';
import type { Simulation } from './simulation.ts';

/** The active branch, derived from messages and their parents only. */
export function transcript({ state, deleted }: Simulation): Message[] {
  const found: Message[] = [];
  for (let at = state.head; at !== null;) {
    const message: Message = state.messages.get(at) ?? assert.fail(`a message is lost: ${at}`);
    if (!deleted.has(at)) found.push(message);
    at = message.parent;
  }
  return found.reverse();
}

/** The newest user message of the active branch, if it's sent verbatim. */
export function newestSent(simulation: Simulation, { messages }: Context): Message | undefined {
  const all = transcript(simulation);
  const at = all.findLastIndex(startsTurn);
  return messages.some(({ position }) => position === at) ? all[at] : undefined;
}

/** Every message is either sent verbatim or covered by one node, which was made from it and its neighbors. */
export function checkCoverage(simulation: Simulation, context: Context): void {
  const { state } = simulation;
  const all = transcript(simulation);
  const expected = all.map(({ id }) => id);
  assert.deepEqual(state.path, expected, 'the branch is what the parents say');
  const times = all.map(() => 0);
  for (const { node, from, to } of state.frontier) {
    for (let at = from; at <= to; at++) times[at]!++;
    checkMadeFrom(state, node, all.slice(from, to + 1));
  }
  let last = -1;
  for (const { position, role, content } of context.messages) {
    assert.ok(position > last, 'what is sent is in order');
    last = position;
    times[position]!++;
    const message = all[position]!;
    assert.equal(role, message.role);
    assert.deepEqual(content.slice(-message.content.length), message.content, 'what is sent is word for word');
  }
  assert.deepEqual(
    times,
    all.map(() => 1),
    'every message is sent or stood for, once',
  );
}

function checkMadeFrom(state: SessionState, node: SummaryNode, messages: readonly Message[]): void {
  assert.equal(messages.length, node.messages, `${node.id} stands for as many messages as it was made from`);
  if (node.children.length === 0) {
    assert.equal(node.sourceHash, sourceHash(messages), `${node.id} stands for the very messages it was made from`);
    return;
  }
  let next = 0;
  for (const id of node.children) {
    const child = state.nodes.get(id)!;
    checkMadeFrom(state, child, messages.slice(next, next + child.messages));
    next += child.messages;
  }
  assert.equal(next, messages.length);
}

/**
 * Active and pinned key events of messages that aren't sent verbatim are included byte for byte, or listed as left out.
 */
export function checkEvents(simulation: Simulation, context: Context): void {
  const { state, conversation, harness } = simulation;
  // Must be in the ledger, because a summary may quote the same words now but not later.
  const sent = context.system.filter((_, at) => context.systemParts[at] === 'ledger').join('\n');
  const left = new Set(context.leftOut.map(({ id }) => id));
  const covered = state.frontier.flatMap(({ from, to }) => state.path.slice(from, to + 1));
  const standsFor = new Set(covered);
  for (const id of simulation.marks.pinned)
    assert.ok(state.events.get(id)?.pinned, 'what the user has pinned stays pinned');
  for (const [id, words] of simulation.marks.corrected) {
    const event = state.events.get(id);
    assert.deepEqual(event && wordsOf(event), words, 'what the user has corrected stays corrected');
  }
  for (const event of state.events.values()) {
    const message = state.messages.get(event.message);
    assert.ok(message);
    assert.equal(messageText(message).slice(event.start, event.end), event.quote, 'a quote is its message’s slice');
    if (!standsFor.has(event.message) || state.isRemoved(event.id)) continue;
    if (event.pinned) {
      assert.ok(sent.includes(neutralizeTags(event.quote)), `pinned: ${event.quote}`);
    } else if (event.status === 'active') {
      assert.ok(sent.includes(neutralizeTags(event.quote)) || left.has(event.id), `active: ${event.quote}`);
    } else if (event.status !== 'dropped') {
      const known = sent.includes(neutralizeTags(event.quote)) || left.has(event.id) || isReplaced(state, event);
      assert.ok(known, `${event.status}, and what took its place is not on this branch: ${event.quote}`);
    }
  }
  const share = Math.floor(conversation.meter.budget() * harness.settings.policy.ledgerShare);
  const { kept, leftOut } = selectLedgerLines(state, conversation.counts, share);
  const cost = kept.reduce((sum, { line }) => sum + conversation.counter.text(`${line}\n`), 0);
  assert.ok(cost <= share || kept.every(({ event }) => event.pinned), 'the ledger keeps within its share');
  if (leftOut.length > 0) assert.ok(context.leftOut.length > 0, 'what has no room is named');
  if (simulation.detects) checkDetected(state, covered);
}

/** Incrementally written and counted blocks equal those created at once. */
export function checkPrefix({ state, conversation, harness }: Simulation, context: Context): void {
  const { systemPrompt, memory, policy } = harness.settings;
  const counts = new MessageCounts(conversation.counter);
  const ledgerBudget = Math.floor(conversation.meter.budget() * policy.ledgerShare);
  const { tokens, ...front } = assemblePrefix({ state, systemPrompt, memory, counts, ledgerBudget });
  assert.deepEqual({ ...context, ...front, tokens: { ...context.tokens, ...tokens } }, context);
}

/** The event that supersedes another is on the branch and not deleted. */
function isReplaced(state: SessionState, { link }: KeyEvent): boolean {
  const other = link && state.events.get(link);
  return other !== undefined && !state.isRemoved(other.id) && state.positionOf(other.message) !== undefined;
}

const detected = new WeakMap<Message, readonly KeyEventId[]>();

/** Every key event of a message that isn't recent anymore is in the ledger's list, with some status. */
function checkDetected(state: SessionState, covered: SessionState['path']): void {
  for (const id of covered) {
    const message = state.messages.get(id)!;
    if (message.role === 'system') continue;
    let found = detected.get(message);
    if (!found) {
      const previous = state.messages.get(state.path[state.positionOf(id)! - 1]!);
      const before = previous && { role: previous.role, text: messageText(previous) };
      const source = { role: message.role, text: messageText(message) };
      found = detectEvents(source, before && { before }).map((event) => eventIdAt(id, event));
      detected.set(message, found);
    }
    for (const one of found) assert.ok(state.events.has(one), `not in the list: ${one}`);
  }
}

/** A request's tokens, by the gauge's counter. */
export const requestTokens = (
  { system, messages }: Pick<ChatRequest, 'system' | 'messages'>,
  counter: TokenCounter,
): number =>
  system.reduce((sum, text) => sum + counter.text(text) + MESSAGE_FRAMING_TOKENS, REPLY_PRIMING_TOKENS) +
  messages.reduce((sum, message) => sum + counter.message(message) + counter.text(message.turnOnly ?? ''), 0);

/** A request fits, contains the newest user message completely, and doesn't separate calls from their results. */
export function checkRequest(request: ChatRequest, text: string, budget: number, counter: TokenCounter): void {
  const tokens = requestTokens(request, counter);
  assert.ok(tokens <= budget, `a request of ${tokens} tokens exceeds ${budget}`);
  const newest = request.messages.findLast((message) => message.role === 'user');
  assert.deepEqual(newest?.content.at(-1), { type: 'text', text }, 'the newest user message is whole and last');
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const block of request.messages.flatMap((message) => message.content)) {
    if (block.type === 'tool_call') calls.add(block.callId);
    if (block.type !== 'tool_result') continue;
    assert.ok(calls.has(block.callId), 'a result comes after its call');
    results.add(block.callId);
  }
  assert.equal(results.size, calls.size, 'every call has its result');
}

/**
 * A state's visible content, without times, after a round trip through JSON: without undefined members and lone
 * surrogates.
 */
export function visibleState(state: SessionState): unknown {
  return JSON.parse(
    JSON.stringify({
      path: state.path,
      messages: [...state.messages.values()],
      deleted: [...state.messages.keys()].filter((id) => state.isDeleted(id)),
      ...compressionState(state),
      partials: state.partials.map(({ id, text }) => [id, text]),
      stale: [...state.stale],
      counters: state.counters,
      task: state.task,
      ended: state.endedTasks.map(({ endedAt: _, ...task }) => task),
      escalation: state.escalation,
      head: state.head,
      title: state.title,
    }),
  );
}

export const compressionState = (state: SessionState) => ({
  nodes: [...state.nodes.values()],
  open: [...state.nodes.keys()].filter((id) => state.isReverted(id)),
  frontier: state.frontier.map(({ node, from, to }) => [node.id, from, to]),
  levels: [...state.levels],
  events: [...state.events.values()],
  removed: [...state.events.keys()].filter((id) => state.isRemoved(id)),
});
