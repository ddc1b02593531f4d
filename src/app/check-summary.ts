import { isLocalReply } from '../core/model/message.ts';
import type { SummaryCheck } from '../core/model/summary.ts';
import { checkStatementsWithModel } from '../core/audit/model-check.ts';
import { sentLevelOf } from '../core/context/ledger-lines.ts';
import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import type { NodeId } from '../core/model/ids.ts';
import { spendLimitedModel, type SpendGate, type UsageEvent } from './spend-limited-model.ts';
import type { SummarizerConfig } from './summarizer.ts';
import type { SessionDeps } from './session-deps.ts';
import { messagesOf, nodeOf, ChangeFault } from './summary-changes.ts';

export interface CheckSummaryDeps extends Pick<SessionDeps, 'journal' | 'clock' | 'counter' | 'price'> {
  readonly spendGate: SpendGate;
  readonly recordUsage: (usage: readonly UsageEvent[]) => Promise<void>;
}

/**
 * Asks a model to compare the sent level of a summary with its messages, and stores the result. Rejects with
 * `ChangeFault`, `SpendLimitReached`, `StoreFault`, or the model's error. Even then, the cost is recorded, and the
 * results of completed requests are stored.
 */
export async function checkSummary(
  { journal, clock, counter, price, spendGate, recordUsage }: CheckSummaryDeps,
  id: NodeId,
  summarizer: SummarizerConfig,
  signal: AbortSignal,
): Promise<SummaryCheck> {
  const node = nodeOf(journal.state, id);
  const messages = messagesOf(journal.state, node).filter((message) => !isLocalReply(message));
  const sentLevel = sentLevelOf(journal.state, id);
  const level = node[sentLevel] === undefined ? 'detailed' : sentLevel;
  const text = node[level] ?? '';
  if (journal.readOnly) throw journal.readOnly;
  const paid = spendLimitedModel(summarizer, spendGate, price, signal);
  let check: SummaryCheck;
  let fault: Error | undefined;
  try {
    const result = await checkStatementsWithModel(text, messages, {
      model: paid.model,
      counter,
      pace: new CancellableYielder(clock.yielder, signal),
      calls: new CallLog(),
    });
    ({ fault } = result);
    if (result.statements.every(({ isByCode }) => isByCode)) throw new ChangeFault('unanswered');
    if (journal.state.nodes.get(id)?.[level] !== text) throw new ChangeFault('outdated');
    const statements = result.statements.map(({ start, end, reason, sources, missing, instead, isByCode }) => ({
      start,
      end,
      reason,
      sources: sources.map((source) => ({ ...source, message: messages[source.message]!.id })),
      ...(missing && { missing }),
      ...(instead !== undefined && { instead }),
      ...(isByCode && { isByCode }),
    }));
    check = { level, model: summarizer.model.id, at: clock.now(), statements };
    await journal.append({ type: 'node_checked', node: id, check });
  } finally {
    await recordUsage(paid.takeUsage());
  }
  if (fault !== undefined) throw fault;
  return check;
}
