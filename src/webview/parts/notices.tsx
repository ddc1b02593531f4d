import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { waitTextAt } from '../../protocol/faults.ts';
import type { OfferView, StatusView } from '../../protocol/views.ts';
import { formatCount } from '../format.ts';
import { page } from '../page-instance.ts';
import type { OpenSession } from '../state.ts';
import { text, translate } from '../texts.ts';
import type { Toast } from '../toasts.ts';
import { Button, Icon, IconButton } from './elements.tsx';

interface NoticeProps {
  readonly severity?: 'info' | 'warning' | 'error';
  readonly icon: string;
  readonly message: string;
  readonly details?: string | undefined;
  readonly role?: 'status' | 'alert';
  /** Whether the message changes every second. Screen readers announce it at most once, and only if it has a role. */
  readonly isTimer?: boolean;
  readonly class?: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  readonly dismiss?: () => void;
  /** Called when the pointer or the focus enters or leaves the notice, with whether it has either. */
  readonly onUse?: (isUsed: boolean) => void;
  readonly children?: ComponentChildren;
}

export function Notice(props: NoticeProps) {
  const { severity = 'info', icon, message, details, isTimer = false, action, dismiss, onUse } = props;
  const role = props.role ?? (isTimer ? undefined : 'status');
  return (
    <div
      class={`notice line notice-${severity} ${props.class ?? ''}`}
      role={role}
      onMouseEnter={() => onUse?.(true)}
      onMouseLeave={({ currentTarget }) => onUse?.(currentTarget.contains(document.activeElement))}
      onFocusIn={() => onUse?.(true)}
      onFocusOut={({ currentTarget }) => onUse?.(currentTarget.matches(':hover'))}
    >
      <Icon name={icon} class={icon === 'loading' ? 'codicon-modifier-spin' : ''} />
      <div class="fill line wrap">
        <div class="fill" role={isTimer ? 'timer' : undefined}>
          {message}
          {details !== undefined && <div>{details}</div>}
        </div>
        {props.children}
        {action && <Button onClick={action.run}>{action.label}</Button>}
      </div>
      {dismiss && <IconButton icon="close" label={text('Dismiss')} onClick={dismiss} />}
    </div>
  );
}

export function Notices({ session }: { readonly session: OpenSession }) {
  const { status, notice } = session;
  const { readOnly, unsaved, offline, escalation, pendingRetry, thinking, resetPending, compression } = status;
  const continueHere = { label: text('Continue Here'), run: () => page.runCommand('continueHere') };
  const takeOver = readOnly?.isWrittenElsewhere
    ? { label: text('Take Over'), run: () => page.runCommand('takeOver') }
    : undefined;
  return (
    <div class="notices">
      {readOnly !== null && (
        <Notice icon="lock" message={readOnly.text} action={status.isExternal ? continueHere : takeOver} />
      )}
      {unsaved !== null && <Notice severity="warning" icon="warning" message={unsaved} />}
      {/* Hidden while an error toast is shown, because both would report the same problem. */}
      {offline !== null && page.toasts.persistent === undefined && (
        <Notice severity="warning" icon="debug-disconnect" message={offline} />
      )}
      {escalation && <Escalation escalation={escalation} />}
      {pendingRetry && (
        <Timer
          icon="watch"
          messageAt={(now) =>
            // Once the request has been sent again, the response is awaited as before.
            now < pendingRetry.until &&
            text('{0} Retrying in {1} s…', pendingRetry.text, seconds(pendingRetry.until - now))
          }
        />
      )}
      {thinking !== null && (
        <Timer icon="loading" messageAt={(now) => text('Thinking… {0} s', seconds(now - thinking))} />
      )}
      {resetPending && <Notice icon="history" message={text('The task will end when this response finishes.')} />}
      {compression && <Progress compression={compression} />}
      {notice !== null && (
        <Notice
          severity="warning"
          icon="warning"
          message={notice}
          dismiss={() => page.updateSession({ notice: null })}
        />
      )}
    </div>
  );
}

function Escalation({ escalation }: { readonly escalation: NonNullable<StatusView['escalation']> }) {
  const { requestTokens, budget, actions } = escalation;
  // Reuses the gauge's translated text without its percentage.
  const size = text('{0} of {1} tokens ({2})', formatCount(requestTokens), formatCount(budget), '');
  return (
    <div class="escalation notice-warning" role="alert">
      <p>
        <Icon name="warning" /> {escalation.text}
      </p>
      <p class="meta">{size.replace(/ \(\)$/, '')}</p>
      <div class="row-of-buttons">
        {actions.map(({ command, label }, index) => (
          <Button
            key={command}
            look={index === 0 ? 'button' : 'button secondary'}
            refusal={command === 'newSession' ? undefined : page.readOnly}
            onClick={() => page.runCommand(command)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

const seconds = (ms: number): number => Math.max(0, Math.ceil(ms / 1000));

export function ToastNotice({ toast }: { readonly toast: Toast }) {
  const { severity, wait, details, action } = toast;
  const role = severity === 'error' ? 'alert' : 'status';
  const dismiss = () => page.toasts.dismiss(toast);
  const onUse = (isUsed: boolean) => page.toasts.hold(toast, isUsed);
  const props = { class: 'toast', icon: severity, severity, role, details, action, dismiss, onUse } as const;
  if (!wait) return <Notice {...props} message={toast.text} />;
  return <Timer {...props} messageAt={(now) => waitTextAt(wait, now, translate)} />;
}

interface TimerProps extends Omit<NoticeProps, 'message' | 'isTimer'> {
  /** Gets the current time, in ms since the epoch. Without a text, the notice is hidden. */
  readonly messageAt: (now: number) => string | false;
}

/** A notice that is updated every second. */
function Timer({ messageAt, ...props }: TimerProps) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const message = messageAt(now);
  return message === false ? null : <Notice {...props} message={message} isTimer />;
}

function Progress({ compression }: { readonly compression: NonNullable<StatusView['compression']> }) {
  const { stage, done, total } = compression;
  const progress = total > 0 ? text('{0} ({1} of {2})', stage, formatCount(done), formatCount(total)) : stage;
  const cancel = { label: text('Cancel'), run: () => page.runCommand('cancelCompression') };
  return (
    <Notice icon="loading" class="notice-progress meta" message={text('Compressing: {0}', progress)} action={cancel}>
      {total > 0 && <progress max={total} value={done} aria-label={text('Compressing: {0}', stage)} />}
    </Notice>
  );
}

/** Offers models after a reply of the local provider. The selected one replies to the same message. */
export function ModelSetup({ session }: { readonly session: OpenSession }) {
  const { transcript, model, status } = session;
  const { last } = transcript;
  const hasLocalReply = status.readOnly === null && last?.model === 'local' && !last.streaming;
  const isNeeded = model.isDefault && model.provider === 'local' && hasLocalReply;
  const [offers, setOffers] = useState<readonly OfferView[]>([]);
  useEffect(() => {
    setOffers([]);
    if (isNeeded) void page.request('offerModels', {}).then((found) => setOffers(found ?? []));
  }, [isNeeded, session.id]);
  if (!isNeeded || offers.length === 0) return null;
  const take = async (offer: number): Promise<void> => {
    if (await page.request('takeOffer', { session: session.id, offer }))
      await page.request('retry', { message: last.id });
  };
  return (
    <section class="model-setup" aria-labelledby="model-setup">
      <h2 id="model-setup">{text('Select a model to get a response')}</h2>
      <div class="row-of-buttons">
        {offers.map(({ label, detail }, index) => (
          <Button key={label} look={index === 0 ? 'button' : 'button secondary'} onClick={() => void take(index)}>
            {label} {detail !== '' && <small>{detail}</small>}
          </Button>
        ))}
      </div>
    </section>
  );
}
