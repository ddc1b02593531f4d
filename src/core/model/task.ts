import * as v from 'valibot';
import { idSchema, readonlyList, timestampSchema, type ReadonlyOutput } from './field-schemas.ts';
import { taskId } from './ids.ts';

export const stepStatus = v.picklist(['pending', 'in_progress', 'done', 'skipped']);
export type StepStatus = ReadonlyOutput<typeof stepStatus>;

const step = v.object({ text: v.string(), status: stepStatus });
export type Step = ReadonlyOutput<typeof step>;

/** The user's current task. `endedAt` (ms since the epoch) is set by a reset. */
export const taskSchema = v.object({
  id: v.pipe(idSchema, v.transform(taskId)),
  goal: v.string(),
  steps: readonlyList(step),
  endedAt: v.optional(timestampSchema),
});
export type Task = ReadonlyOutput<typeof taskSchema>;

/** Whether a task has steps and none of them is open. */
export function isFinished(task: Task): boolean {
  return task.steps.length > 0 && task.steps.every((step) => step.status === 'done' || step.status === 'skipped');
}

/** Ends a task: open steps are skipped. */
export function endTask(task: Task, at: number): Task {
  const steps = task.steps.map((step): Step => (step.status === 'done' ? step : { ...step, status: 'skipped' }));
  return { ...task, steps, endedAt: at };
}
