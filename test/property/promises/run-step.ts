import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { Context } from '../../../src/core/context/assemble.ts';
import {
  checkCoverage,
  checkEvents,
  checkPrefix,
  checkRequest,
  compressionState,
  newestSent,
  requestTokens,
  visibleState,
  transcript,
} from './checks.ts';
import type { NodeId } from '../../../src/core/model/ids.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import type { Step } from './steps.ts';
import type { Simulation } from './simulation.ts';

export function checkPromises(simulation: Simulation, context: Context): void {
  checkCoverage(simulation, context);
  checkEvents(simulation, context);
  checkPrefix(simulation, context);
  const { system, messages, total } = context;
  const counted = requestTokens({ system, messages }, simulation.conversation.counter);
  assert.ok(counted <= total, `the context takes ${counted} tokens and says ${total}`);
}

/** Runs a step, and checks the promises and what a step of this kind may change. */
export async function runStep(simulation: Simulation, step: Step): Promise<void> {
  const { harness, state } = simulation;
  const before = {
    context: simulation.conversation.context(),
    made: compressionState(state),
    calls: simulation.calls,
    texts: textsOf(state),
  };
  const compressions = state.compressions.length;
  const requests = harness.requests.length;
  const newest = newestSent(simulation, before.context);
  const open = heldOpen(simulation);
  const covered = coveredTokens(simulation);
  const expanded = [...state.nodes.keys()].some((id) => state.summaries.isExpanded(id));
  await simulation.do(step);
  const context = simulation.conversation.context();

  checkPromises(simulation, context);
  const { contextWindow, reservedTokens } = harness.settings;
  const budget = contextWindow - reservedTokens;
  if (step.do === 'send' || step.do === 'resend') {
    for (const request of harness.requests.slice(requests))
      checkRequest(request, step.text, budget, simulation.conversation.counter);
  }
  assert.deepEqual(simulation.conversation.context(), context, 'the same state gives the same context');

  if (step.do === 'editNode') {
    for (const node of simulation.state.nodes.values())
      if (before.texts.get(node.id) !== node.detailed) checkStaleAbove(simulation.state, node.id);
  }
  const committed = simulation.state.compressions.slice(compressions);
  if (step.do === 'compress' && step.meanwhile === 'nothing')
    assert.equal(newestSent(simulation, context), newest, 'the newest user message is never summarized');
  if (harness.settings.policy.strategy === 'off' && step.do !== 'policy') {
    assert.equal(committed.length, 0, 'off means off');
    // Regenerating a summary isn't a compression.
    if (step.do !== 'regenerate') assert.equal(simulation.calls, before.calls, 'off asks no model');
  }
  // Only the user's command and a waiting request may close expanded nodes.
  const mayClose = committed.some(({ trigger }) => ['command', 'before_send', 'provider_overflow'].includes(trigger));
  if (!mayClose && (step.do === 'reset' || (step.do === 'background' && step.meanwhile === 'nothing'))) {
    const now = new Set(heldOpen(simulation));
    for (const id of open) assert.ok(now.has(id), 'what the user has opened stays open');
  }
  if ((step.do === 'compress' || step.do === 'background') && step.meanwhile === 'nothing') {
    const saved = before.context.total - context.total;
    // A step may commit two compressions, so their joint saving is compared with all the tokens that they cover.
    if (committed.length > 0) {
      const more = coveredTokens(simulation) - covered;
      assert.ok(saved >= 0.1 * more, `a compression of ${more} tokens saved ${saved}`);
    } else {
      assert.deepEqual(compressionState(simulation.state), before.made, 'what comes to nothing changes nothing');
    }
  }
  const isQuiet = !('meanwhile' in step) || step.meanwhile === 'nothing';
  for (const { calls, tokens } of isQuiet ? committed : [])
    assert.ok(calls.count > 0 || tokens.after < tokens.before, 'what costs nothing is committed only if it saves');
  if (simulation.cancelled) {
    assert.equal(committed.length, 0, 'what is cancelled is not committed');
    assert.deepEqual(compressionState(simulation.state), before.made, 'what is canceled changes nothing');
    if (simulation.outcome) assert.equal(simulation.outcome.kind, 'cancelled', 'what is cancelled is called so');
  }
  if (simulation.modelFailed) {
    // After a failure, the provider first gets a small part. The summaries made before it fails again are committed.
    if (step.do === 'background')
      assert.ok(
        committed.length <= 1 && committed.every(({ calls }) => calls.count > 0),
        'in the background a fault commits nothing but what a model made before it',
      );
    if (simulation.outcome?.kind === 'committed') assert.ok(ModelFault.is(simulation.outcome.fault), 'a fault is told');
  }
  if (step.do === 'preview')
    assert.deepEqual(compressionState(simulation.state), before.made, 'a preview changes nothing');
  // A generous limit: up to three prompts per segment, twice. Segments: one per 12,000 tokens, one per gap between
  // nodes, and two more.
  const most = 6 * (2 + before.made.nodes.length + before.context.total / 12_000);
  assert.ok(simulation.calls - before.calls <= most, `${simulation.calls - before.calls} calls in one step`);
  // Nodes that were expanded for one turn are closed after it.
  if (committed.length === 0 && !expanded && (step.do === 'send' || step.do === 'import' || step.do === 'task'))
    assert.deepEqual(context.system, before.context.system, 'turns alone leave the prefix as it was');
}

const textsOf = (state: SessionState): ReadonlyMap<NodeId, string> =>
  new Map(Array.from(state.nodes.values(), ({ id, detailed }) => [id, detailed]));

/** Summaries made from a changed summary are marked as stale. */
function checkStaleAbove(state: SessionState, changed: NodeId): void {
  for (const { id: parent } of state.summaries.parentsOf(changed)) {
    assert.ok(state.stale.has(parent), `${parent} was made from ${changed}, which has changed since`);
    checkStaleAbove(state, parent);
  }
}

const uncompressed = ({ state }: Simulation) => [...state.uncompressed()];

const heldOpen = (simulation: Simulation): string[] => {
  const held = simulation.state.restoredMessages();
  return uncompressed(simulation).flatMap(({ message, position }) => (held[position] === true ? [message.id] : []));
};

function coveredTokens(simulation: Simulation): number {
  const { counts } = simulation.conversation;
  const word = new Set(uncompressed(simulation).map(({ message }) => message));
  return transcript(simulation).reduce((sum, message) => sum + (word.has(message) ? 0 : counts.total(message)), 0);
}

/** A reopened session is the same, with the same context. With all nodes reverted, it's the transcript. */
export async function checkReopened(simulation: Simulation): Promise<void> {
  const before = visibleState(simulation.state);
  const context = simulation.conversation.context();
  await simulation.restart();
  assert.deepEqual(visibleState(simulation.state), before, 'the journal gives back the state');
  assert.deepEqual(simulation.conversation.context(), context, 'a session opened anew sends the same');
  await simulation.conversation.undoNodes([...simulation.state.nodes.keys()], true);
  const all = simulation.conversation.context().messages;
  const turns = all.map(({ role, content }) => ({ role, said: content.at(-1) }));
  const expected = transcript(simulation).map(({ role, content }) => ({ role, said: content.at(-1) }));
  assert.deepEqual(turns, expected, 'expanding all nodes gives back the transcript');
}
