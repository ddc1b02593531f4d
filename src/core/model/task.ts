import type { TaskId } from './ids.ts';

export type StepStatus = 'pending' | 'in_progress' | 'done' | 'skipped';

export interface Step {
  readonly text: string;
  readonly status: StepStatus;
}

/** What the user is working on now. `endedAt` (ms since the epoch) is set by a reset. */
export interface Task {
  readonly id: TaskId;
  readonly goal: string;
  readonly steps: readonly Step[];
  readonly endedAt?: number;
}

/** A task is finished when it has steps and none is left to do. */
export function isFinished(task: Task): boolean {
  return task.steps.length > 0 && task.steps.every((step) => step.status === 'done' || step.status === 'skipped');
}

/** The task as a reset leaves it: steps that were not done are skipped. */
export function endTask(task: Task, at: number): Task {
  const steps = task.steps.map((step): Step => (step.status === 'done' ? step : { ...step, status: 'skipped' }));
  return { ...task, steps, endedAt: at };
}
