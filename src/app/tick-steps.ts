import type { MessageId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import { stepsReportedDone } from '../core/model/task-list.ts';
import type { SessionJournal } from './ports.ts';

/** Ticks the steps of the task that a reply reports as done. Rejects with `StoreFault`. */
export async function tickReportedSteps(journal: SessionJournal, reply: MessageId): Promise<void> {
  const { task, messages } = journal.state;
  const message = messages.get(reply);
  if (!task || message?.role !== 'assistant') return;
  const done = stepsReportedDone(task, messageText(message));
  if (done.length > 0)
    await journal.append(...done.map((step) => ({ type: 'task_step', step, status: 'done' }) as const));
}
