import { useState } from 'preact/hooks';
import type { SessionId } from '../../core/model/ids.ts';
import type { TaskView } from '../../protocol/views.ts';
import { page } from '../page-instance.ts';
import { isEnter } from '../sending.ts';
import { text } from '../texts.ts';
import { Button, Disclosure, Icon, IconButton } from './elements.tsx';

type StepStatus = TaskView['steps'][number]['status'];

const STATUSES = {
  pending: { icon: 'circle-large-outline', label: () => text('pending'), checked: false },
  in_progress: { icon: 'play-circle', label: () => text('in progress'), checked: 'mixed' },
  done: { icon: 'pass-filled', label: () => text('done'), checked: true },
  skipped: { icon: 'circle-slash', label: () => text('skipped'), checked: false },
} as const satisfies Record<StepStatus, object>;

export function TaskHeader(props: { readonly session: SessionId; readonly task: TaskView }) {
  const { session } = props;
  const { goal, steps } = props.task;
  const readOnly = page.readOnly !== undefined;
  const [step, setStep] = useState('');
  const done = steps.filter((each) => each.status === 'done').length;
  const setStatus = (index: number, status: StepStatus) =>
    void page.request('stepTask', { session, step: index, status });
  const enter = async (): Promise<void> => {
    const entered = step.trim();
    setStep('');
    if (!(await page.tryRequest('addStep', { session, goal, step: entered })))
      setStep((typed) => `${entered} ${typed}`.trim());
  };
  const head = (
    <span class="fill line wrap">
      <b class="cut">{goal}</b>
      {steps.length > 0 && (
        <span class="meta">{text(steps.length === 1 ? '{0} of 1 step' : '{0} of {1} steps', done, steps.length)}</span>
      )}
    </span>
  );
  return (
    <section class="task" tabIndex={-1} aria-label={text('Task')}>
      <Disclosure
        isInitiallyOpen
        head={head}
        action={!readOnly && <Button onClick={() => page.runCommand('resetTask')}>{text('End Task')}</Button>}
        footer={steps.length > 0 && <progress max={steps.length} value={done} aria-label={text('Steps')} />}
      >
        <ul aria-label={text('Steps')}>
          {steps.map((each, index) => {
            const { icon, label, checked } = STATUSES[each.status];
            return (
              <li key={index} class={`line step-${each.status}`}>
                <button
                  type="button"
                  role="checkbox"
                  aria-checked={checked}
                  class="disclosure line fill"
                  title={label()}
                  disabled={readOnly}
                  onClick={() => setStatus(index, each.status === 'done' ? 'pending' : 'done')}
                >
                  <Icon name={icon} />
                  <span class="step-text">{each.text}</span>
                </button>
                {!readOnly && (each.status === 'pending' || each.status === 'in_progress') && (
                  <IconButton
                    icon="close"
                    label={text('Skip “{0}”', each.text)}
                    onClick={() => setStatus(index, 'skipped')}
                  />
                )}
              </li>
            );
          })}
        </ul>
        <input
          class="input add-step"
          disabled={readOnly}
          value={step}
          placeholder={text('Add step')}
          aria-label={text('Add step')}
          onInput={(event) => setStep(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isEnter(event) && step.trim() !== '') void enter();
          }}
        />
      </Disclosure>
    </section>
  );
}
