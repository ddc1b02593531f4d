import * as v from 'valibot';
import { idSchema, readonlyList, timestampSchema, type ReadonlyOutput } from './field-schemas.ts';
import { taskId } from './ids.ts';

export const stepStatus = v.picklist(['pending', 'in_progress', 'done', 'skipped']);
export type StepStatus = ReadonlyOutput<typeof stepStatus>;

export const stepSchema = v.object({ text: v.string(), status: stepStatus });
export type Step = ReadonlyOutput<typeof stepSchema>;

/** The user's task. `endedAt` (ms since the epoch) is set by a reset, `goalReached` by a response. */
export const taskSchema = v.object({
  id: v.pipe(idSchema, v.transform(taskId)),
  goal: v.string(),
  steps: readonlyList(stepSchema),
  goalReached: v.optional(v.boolean()),
  endedAt: v.optional(timestampSchema),
});
export type Task = ReadonlyOutput<typeof taskSchema>;

/** Whether all steps are done or skipped or, for a task without steps, a response reported that the goal is reached. */
export function isFinished({ steps, goalReached = false }: Task): boolean {
  return steps.length === 0 ? goalReached : steps.every(({ status }) => status === 'done' || status === 'skipped');
}

export function endTask(task: Task, at: number): Task {
  const steps = task.steps.map((step): Step => (step.status === 'done' ? step : { ...step, status: 'skipped' }));
  return { ...task, steps, endedAt: at };
}
