import { useEffect, useState } from 'preact/hooks';
import type { ActionView, StatusView } from '../../protocol/views.ts';
import { formatCount } from '../format.ts';
import { usePage } from '../page-context.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

/** What the user should know now: between the transcript and the composer, never over either. */
export function Notices({ session }: { readonly session: OpenSession }) {
  const { status, notice } = session;
  const page = usePage();
  return (
    <div class="notices">
      {status.readOnly !== null && (
        <Banner severity="info" icon="lock" words={status.readOnly.text} action={wayToWrite(status)} />
      )}
      {status.unsaved !== null && <Banner severity="warning" icon="warning" words={status.unsaved} />}
      {/* While a fault says so below, with a way out, once is enough. */}
      {status.offline !== null && page.toasts.trouble === undefined && (
        <Banner severity="warning" icon="debug-disconnect" words={status.offline} />
      )}
      {status.escalation && <Escalation escalation={status.escalation} />}
      {status.waiting && <Waiting waiting={status.waiting} />}
      {status.thinking !== null && <Thinking since={status.thinking} />}
      {status.resetPending && (
        <Banner severity="info" icon="history" words={text('The task will end when this response finishes.')} />
      )}
      {status.compression && <Progress compression={status.compression} />}
      {notice !== null && (
        <Banner severity="warning" icon="warning" words={notice} dismiss={() => page.dismissNotice()} />
      )}
    </div>
  );
}

function wayToWrite({ foreign, readOnly }: StatusView): ActionView | undefined {
  if (foreign) return { label: text('Continue Here'), command: 'continueHere' };
  return readOnly?.isWrittenElsewhere === true ? { label: text('Take Over'), command: 'takeOver' } : undefined;
}

function Banner(props: {
  readonly severity: 'info' | 'warning';
  readonly icon: string;
  readonly words: string;
  readonly action?: ActionView | undefined;
  readonly dismiss?: () => void;
}) {
  const page = usePage();
  const { action } = props;
  return (
    <div class={`notice notice-${props.severity}`} role="status">
      <Icon name={props.icon} />
      <span class="notice-text">{props.words}</span>
      {action && (
        <button type="button" class="text-button" onClick={() => page.run(action.command)}>
          {action.label}
        </button>
      )}
      {props.dismiss && <IconButton icon="close" label={text('Dismiss')} onClick={props.dismiss} />}
    </div>
  );
}

function Escalation({ escalation }: { readonly escalation: NonNullable<StatusView['escalation']> }) {
  const page = usePage();
  return (
    <div class="escalation" role="alert">
      <p>
        <Icon name="warning" /> {escalation.text}
      </p>
      <p class="meta">
        {text(
          '{0} of {1} tokens ({2})',
          formatCount(escalation.requestTokens),
          formatCount(escalation.budget),
          '',
        ).replace(/ \(\)$/, '')}
      </p>
      <div class="row-of-buttons">
        {escalation.ways.map((way, index) => (
          <button
            key={way.command}
            type="button"
            class={index === 0 ? 'button' : 'button secondary'}
            onClick={() => page.run(way.command)}
          >
            {way.label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The time, in ms since the epoch, every second anew. */
function useSeconds(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Thinking({ since }: { readonly since: number }) {
  const seconds = Math.max(0, Math.floor((useSeconds() - since) / 1000));
  return (
    <div class="notice notice-info">
      <Icon name="loading" />
      <span class="notice-text" role="timer">
        {text('Thinking… {0} s', seconds)}
      </span>
    </div>
  );
}

function Waiting({ waiting }: { readonly waiting: NonNullable<StatusView['waiting']> }) {
  const seconds = Math.max(0, Math.ceil((waiting.until - useSeconds()) / 1000));
  return (
    <div class="notice notice-info">
      <Icon name="watch" />
      <span class="notice-text" role="timer">
        {text('{0} Retrying in {1} s…', waiting.text, seconds)}
      </span>
    </div>
  );
}

function Progress({ compression }: { readonly compression: NonNullable<StatusView['compression']> }) {
  const page = usePage();
  const { stage, done, total } = compression;
  const words = total > 0 ? text('{0} ({1} of {2})', stage, done, total) : stage;
  return (
    <div class="notice notice-progress" role="status">
      <Icon name="loading" class="codicon-modifier-spin" />
      <span class="notice-text">{text('Compressing: {0}', words)}</span>
      {total > 0 && <progress max={total} value={done} aria-label={text('Compressing: {0}', stage)} />}
      <button type="button" class="text-button" onClick={() => page.run('cancelCompression')}>
        {text('Cancel')}
      </button>
    </div>
  );
}
