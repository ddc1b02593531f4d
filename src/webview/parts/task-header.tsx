import { useState } from 'preact/hooks';
import type { TaskView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { isEnter } from '../sending.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

type Status = TaskView['steps'][number]['status'];

const STATUS: Readonly<Record<Status, { readonly icon: string; readonly label: () => string }>> = {
  pending: { icon: 'circle-large-outline', label: () => text('pending') },
  in_progress: { icon: 'play-circle', label: () => text('in progress') },
  done: { icon: 'pass-filled', label: () => text('done') },
  skipped: { icon: 'circle-slash', label: () => text('skipped') },
};

/** What the user is working on now, at the head of the chat. */
export function TaskHeader({ task }: { readonly task: TaskView }) {
  const page = usePage();
  const [open, setOpen] = useState(true);
  const [step, setStep] = useState('');
  const done = task.steps.filter((each) => each.status === 'done').length;
  const set = (index: number, status: Status) => void page.ask('stepTask', { step: index, status });
  const add = async () => {
    const steps = [...task.steps, { text: step.trim(), status: 'pending' as const }];
    if (await page.do('setTask', { goal: task.goal, steps })) setStep('');
  };
  return (
    <section class="task" tabIndex={-1} aria-label={text('Task')}>
      <div class="task-head">
        <button type="button" class="task-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span class="task-goal">{task.goal}</span>
          {task.steps.length > 0 && (
            <span class="meta">
              {text(task.steps.length === 1 ? '{0} of 1 step' : '{0} of {1} steps', done, task.steps.length)}
            </span>
          )}
        </button>
        <button type="button" class="text-button" onClick={() => page.run('resetTask')}>
          {text('End Task')}
        </button>
      </div>
      {task.steps.length > 0 && (
        <progress class="task-progress" max={task.steps.length} value={done} aria-label={text('Steps')} />
      )}
      {open && (
        <>
          <ul class="steps" aria-label={text('Steps')}>
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
                    title={label()}
                    onClick={() => set(index, finished ? 'pending' : 'done')}
                  >
                    <Icon name={icon} />
                    <span class="step-text">{each.text}</span>
                  </button>
                  {(each.status === 'pending' || each.status === 'in_progress') && (
                    <IconButton
                      icon="close"
                      label={text('Skip “{0}”', each.text)}
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
            placeholder={text('Add step')}
            aria-label={text('Add step')}
            onInput={(event) => setStep(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (isEnter(event) && step.trim() !== '') void add();
            }}
          />
        </>
      )}
    </section>
  );
}
