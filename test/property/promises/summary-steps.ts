import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { SpendLimitReached } from '../../../src/app/spend-limited-model.ts';
import {
  compressionsSince,
  expandNode,
  setLevel,
  ChangeFault,
  undoCompressions,
} from '../../../src/app/summary-changes.ts';
import type { Harness } from '../../unit/app/harness.ts';
import type { Step } from './steps.ts';

export type SummaryStep = Extract<
  Step,
  { do: 'undo' | 'editNode' | 'regenerate' | 'level' | 'expand' | 'undoCompressions' }
>;

/** The item that a number picks; undefined if there are none. */
export const itemAt = <Item>(list: readonly Item[], at: number): Item | undefined =>
  list[at % Math.max(1, list.length)];

/** Performs a step that changes a summary or undoes compressions. */
export async function changeSummary(harness: Harness, conversation: Conversation, step: SummaryStep): Promise<void> {
  const { state, journal } = conversation;
  if (step.do === 'undoCompressions') {
    const from = itemAt(state.compressions, step.pick)?.id;
    const ids = step.undone
      ? compressionsSince(state, from)
      : state.compressions.map(({ id }) => id).filter((id) => state.summaries.isCompressionUndone(id));
    return undoCompressions(journal, ids, step.undone);
  }
  const node = itemAt([...state.nodes.keys()], step.pick);
  if (!node) return;
  switch (step.do) {
    case 'undo':
      return conversation.undoNodes([node], step.undone);
    case 'editNode': {
      const tokens = conversation.counter.text(step.text) + 4;
      return journal.append({ type: 'node_edited', node, level: 'detailed', text: step.text, tokens });
    }
    case 'regenerate':
      await harness.regenerateSummary(conversation, { node, finer: step.finer }).catch((error: unknown) => {
        const isKnown = ChangeFault.is(error) || ModelFault.is(error) || error instanceof SpendLimitReached;
        assert.ok(isKnown, String(error));
      });
      return;
    case 'level':
      return setLevel(journal, node, step.level);
    case 'expand':
      return expandNode(journal, node, step.how);
  }
}
