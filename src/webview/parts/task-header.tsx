import { useState } from 'preact/hooks';
import type { TaskView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text, type TextKey } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

type Status = TaskView['steps'][number]['status'];

const STATUS: Readonly<Record<Status, { readonly icon: string; readonly label: TextKey }>> = {
  pending: { icon: 'circle-large-outline', label: 'stepPending' },
  in_progress: { icon: 'play-circle', label: 'stepInProgress' },
  done: { icon: 'pass-filled', label: 'stepDone' },
  skipped: { icon: 'circle-slash', label: 'stepSkipped' },
};

/** What the user is working on now, at the head of the chat. */
export function TaskHeader({ task }: { readonly task: TaskView }) {
  const page = usePage();
  const [open, setOpen] = useState(true);
  const [step, setStep] = useState('');
  const done = task.steps.filter((each) => each.status === 'done' || each.status === 'skipped').length;
  const set = (index: number, status: Status) => void page.ask('stepTask', { step: index, status });
  const add = async () => {
    const steps = [...task.steps, { text: step.trim(), status: 'pending' as const }];
    if (await page.do('setTask', { goal: task.goal, steps })) setStep('');
  };
  return (
    <section class="task" tabIndex={-1} aria-label={text('task')}>
      <div class="task-head">
        <button type="button" class="task-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span class="task-goal">{task.goal}</span>
          {task.steps.length > 0 && (
            <span class="meta">
              {text(task.steps.length === 1 ? 'taskProgressOne' : 'taskProgress', done, task.steps.length)}
            </span>
          )}
        </button>
        <button type="button" class="text-button" onClick={() => page.run('resetTask')}>
          {text('resetTask')}
        </button>
      </div>
      {task.steps.length > 0 && (
        <progress class="task-progress" max={task.steps.length} value={done} aria-label={text('taskSteps')} />
      )}
      {open && (
        <>
          <ul class="steps" aria-label={text('taskSteps')}>
            {task.steps.map((each, index) => {
              const { icon, label } = STATUS[each.status];
              const finished = each.status === 'done';
              return (
                <li key={index} class={`step step-${each.status}`}>
                  <button
                    type="button"
                    role="checkbox"
                    aria-checked={finished ? true : each.status === 'in_progress' ? 'mixed' : false}
                    class="step-toggle"
                    title={text(label)}
                    onClick={() => set(index, finished ? 'pending' : 'done')}
                  >
                    <Icon name={icon} />
                    <span class="step-text">{each.text}</span>
                  </button>
                  {(each.status === 'pending' || each.status === 'in_progress') && (
                    <IconButton
                      icon="close"
                      label={text('skipStep', each.text)}
                      onClick={() => set(index, 'skipped')}
                    />
                  )}
                </li>
              );
            })}
          </ul>
          <input
            class="input add-step"
            value={step}
            placeholder={text('addStep')}
            aria-label={text('addStep')}
            onInput={(event) => setStep(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && step.trim() !== '') void add();
            }}
          />
        </>
      )}
    </section>
  );
}
