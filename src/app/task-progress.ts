import type { SessionEvent } from '../core/journal/schema.ts';
import type { MessageId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import type { StepStatus } from '../core/model/task.ts';
import { saysGoalReached, stepReportedCurrent, stepsReportedDone } from '../core/model/task-list.ts';
import type { SessionJournal } from './ports.ts';

const stepEvent = (step: number, status: StepStatus): SessionEvent => ({ type: 'task_step', step, status });

/** Marks the first pending step as in progress, unless another one is. Rejects with `StoreFault`. */
export async function startNextStep(journal: SessionJournal): Promise<void> {
  const steps = journal.state.task?.steps ?? [];
  const next = steps.findIndex(({ status }) => status === 'pending');
  if (next === -1 || steps.some(({ status }) => status === 'in_progress')) return;
  await journal.append(stepEvent(next, 'in_progress'));
}

/**
 * Applies a reply's report to the task's steps: which are done and which is current. If the goal is reached, the others
 * are skipped. Rejects with `StoreFault`.
 */
export async function applyProgressReport(journal: SessionJournal, reply: MessageId): Promise<void> {
  const { task, messages } = journal.state;
  const message = messages.get(reply);
  if (!task || message?.role !== 'assistant') return;
  const text = messageText(message);
  const done = stepsReportedDone(task, text);
  const isReached = saysGoalReached(text);
  const current = stepReportedCurrent(task, text);
  const events = task.steps.flatMap(({ status }, step): SessionEvent[] => {
    const isOpen = status === 'pending' || status === 'in_progress';
    if (done.includes(step)) return [stepEvent(step, 'done')];
    if (isReached && isOpen) return [stepEvent(step, 'skipped')];
    if (step === current) return [stepEvent(step, 'in_progress')];
    return current !== undefined && status === 'in_progress' ? [stepEvent(step, 'pending')] : [];
  });
  if (task.steps.length === 0 && isReached !== (task.goalReached ?? false))
    events.push({ type: 'task_set', task: { ...task, goalReached: isReached } });
  if (events.length > 0) await journal.append(...events);
}
