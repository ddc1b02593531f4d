import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SummaryRangeView, MessageView } from '../../protocol/views.ts';
import { formatDateTime, formatCompact, formatTime, formatTokens, truncate } from '../format.ts';
import { roleName } from '../translated-names.ts';
import { page } from '../page-instance.ts';
import { isSubmitKey, isUnanswered, withQuote } from '../sending.ts';
import { messageText, textLength } from '../state.ts';
import { text } from '../texts.ts';
import { AttachmentChip } from './attachments.tsx';
import { Button, Disclosure, Icon, IconButton } from './elements.tsx';
import { KeyEvents } from './key-events.tsx';
import { MessageParts } from './message-parts.tsx';

export const ROLE_ICONS: Readonly<Record<MessageView['role'], string>> = {
  user: 'account',
  assistant: 'comment-discussion-sparkle',
  system: 'settings-gear',
  tool: 'tools',
};

/** Length in characters above which a message has its actions at the end as well. */
const LONG_MESSAGE = 1_500;

const ENDINGS = {
  stopped: () => text('Stopped'),
  interrupted: () => text('Interrupted (partial response)'),
  length: () => text('Truncated: the response reached the length limit'),
};

export interface MessageProps {
  readonly message: MessageView;
  readonly row: number;
  readonly total: number;
  readonly nextRole: MessageView['role'] | undefined;
  readonly summaryRange: SummaryRangeView | undefined;
  readonly isRevealed: boolean;
}

export function Message(props: MessageProps) {
  const { message, row, total, summaryRange } = props;
  const [editor, setEditor] = useState<'closed' | 'opened' | 'restored'>(
    page.editOf(message.id) === undefined ? 'closed' : 'restored',
  );
  const edit = () => {
    page.saveEdit(message.id, messageText(message));
    setEditor('opened');
  };
  const closeEditor = () => {
    page.saveEdit(message.id, null);
    setEditor('closed');
  };
  const actions = !message.streaming && editor === 'closed' && <MessageActions message={message} edit={edit} />;
  const headingId = `head-${message.id}`;
  const stateClasses = [summaryRange && 'covered', props.isRevealed && 'marked', message.streaming && 'streaming'];
  return (
    <div
      class={`message from-${message.role} ${stateClasses.filter(Boolean).join(' ')}`}
      role="article"
      aria-labelledby={headingId}
      aria-posinset={row + 1}
      aria-setsize={total}
      aria-busy={message.streaming}
      tabIndex={-1}
      data-message={message.id}
    >
      <div class="message-head line wrap">
        <h2 class="line wrap" id={headingId}>
          <Icon name={ROLE_ICONS[message.role]} />
          <span class="name">{roleName(message.role)}</span>
          {message.model !== undefined && <span class="meta model cut">{message.model}</span>}
          <time class="meta" dateTime={new Date(message.at).toISOString()} title={formatDateTime(message.at)}>
            {formatTime(message.at)}
          </time>
        </h2>
        <Usage message={message} />
        {actions}
      </div>
      {summaryRange?.from === row && (
        <button
          type="button"
          class="cover-chip chip meta"
          title={text('Sent as part of this summary instead of verbatim.')}
          onClick={() => void page.request('openNodeInEditor', { node: summaryRange.node })}
        >
          <Icon name="fold" />
          <span class="cut">{text('In a summary: {0}', summaryRange.title)}</span>
        </button>
      )}
      <Recalled recalled={message.recalled ?? []} />
      {editor === 'closed' ? (
        <div class="message-body">
          <MessageParts message={message} />
        </div>
      ) : (
        <MessageEditor message={message} row={row} takesFocus={editor === 'opened'} close={closeEditor} />
      )}
      {message.attachments && message.attachments.length > 0 && (
        <div class="chips line wrap">
          {message.attachments.map((each) => (
            <AttachmentChip key={each.id} attachment={each} />
          ))}
        </div>
      )}
      <MessageFooter {...props} />
      {textLength(message) > LONG_MESSAGE && actions && <div class="actions-at-end">{actions}</div>}
      {message.events && message.events.length > 0 && <KeyEvents events={message.events} />}
    </div>
  );
}

function Usage({ message: { tokens, ending } }: { readonly message: MessageView }) {
  if (!tokens) return null;
  const { input, output, cachedInput } = tokens;
  // The usage of incomplete replies is estimated, because providers don't report it.
  const approximate = ending === 'stopped' || ending === 'interrupted' ? '~' : '';
  const cached = cachedInput ? text('{0} input tokens read from cache', formatCompact(cachedInput)) : undefined;
  return (
    <span class="meta usage" title={cached}>
      {approximate}
      {input === undefined
        ? formatTokens(output)
        : text('{0} in · {1} out', formatCompact(input), formatCompact(output))}
    </span>
  );
}

function Recalled({ recalled }: { readonly recalled: NonNullable<MessageView['recalled']> }) {
  if (recalled.length === 0) return null;
  return (
    <div class="recalled">
      <Disclosure head={text('Recalled excerpts: {0}', String(recalled.length))} toggleClass="meta">
        {recalled.map(({ position, role, text: excerpt }) => (
          <button
            key={position}
            type="button"
            class="recalled-excerpt"
            onClick={() => page.list?.reveal(position, { sought: { excerpt, query: '' } })}
          >
            {`${position + 1} · ${roleName(role)}: ${truncate(excerpt, 300)}`}
          </button>
        ))}
      </Disclosure>
    </div>
  );
}

function MessageFooter(props: MessageProps) {
  const { isReplying, readOnly } = page;
  const canReply = !isReplying && readOnly === undefined;
  const { ending, branches, id: message } = props.message;
  const isLast = props.row === props.total - 1;
  const unanswered = isUnanswered(props.message, props.nextRole, isLast, isReplying);
  const endingText = ending && ending !== 'complete' ? ENDINGS[ending] : undefined;
  if (!endingText && !branches && !unanswered) return null;
  const branchButton = (icon: string, label: string, to: MessageView['id'] | undefined) => (
    <IconButton
      icon={icon}
      label={label}
      disabled={isReplying || to === undefined}
      refusal={readOnly}
      onClick={() => to && void page.request('switchBranch', { message: to })}
    />
  );
  return (
    <div class="line wrap">
      {branches && (
        <span class="line meta">
          {branchButton('chevron-left', text('Previous Branch'), branches.ids[branches.index - 1])}
          <span>{text('Branch {0} of {1}', branches.index + 1, branches.ids.length)}</span>
          {branchButton('chevron-right', text('Next Branch'), branches.ids[branches.index + 1])}
        </span>
      )}
      {endingText && (
        <span class={ending === 'stopped' ? '' : 'warning'}>
          <Icon name={ending === 'stopped' ? 'debug-stop' : 'warning'} /> {endingText()}
        </span>
      )}
      {endingText && canReply && isLast && (
        <Button onClick={() => void page.request('continue', { message })}>{text('Continue')}</Button>
      )}
      {unanswered && canReply && (
        <Button onClick={() => void page.request('retry', { message })}>{text('Retry')}</Button>
      )}
    </div>
  );
}

function MessageEditor(props: {
  readonly message: MessageView;
  readonly row: number;
  /** Whether the editor gets the focus. False if it was already open before the message was rendered. */
  readonly takesFocus: boolean;
  readonly close: () => void;
}) {
  const { message, row, takesFocus, close } = props;
  const { readOnly } = page;
  const [value, setValue] = useState(page.editOf(message.id) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);
  const canSend = value.trim() !== '' && readOnly === undefined;
  const resend = async () => {
    if (!canSend) return;
    // The host keeps the stored edit until the message is in the session.
    page.forgetEdit(message.id);
    const session = page.session?.id;
    if (await page.tryRequest('editAndResend', { message: message.id, text: value })) {
      close();
      return;
    }
    // If only the reply failed, the new message has already replaced this one.
    const now = page.session;
    if (now?.id === session && (now?.transcript.at(row)?.id ?? message.id) !== message.id) return;
    page.saveEdit(message.id, field.current?.value ?? value, session);
  };
  return (
    <div class="message-editor">
      <textarea
        ref={field}
        class="input"
        value={value}
        aria-label={text('Edit and Resend')}
        onInput={(event) => {
          setValue(event.currentTarget.value);
          page.saveEdit(message.id, event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') close();
          else if (isSubmitKey(event, page.session?.settings.enterSends ?? true)) void resend();
          else return;
          event.preventDefault();
        }}
      />
      <div class="row-of-buttons">
        <span class="meta fill">{text('Later messages are kept on a separate branch.')}</span>
        <Button look="button secondary" onClick={close}>
          {text('Cancel')}
        </Button>
        <Button look="button" disabled={!canSend} title={readOnly} onClick={() => void resend()}>
          {text('Send')}
        </Button>
      </div>
    </div>
  );
}

function MessageActions({ message, edit }: { readonly message: MessageView; readonly edit: () => void }) {
  const isExternal = page.session?.status.isExternal === true;
  const id = { message: message.id };
  const { role } = message;
  const copy = async () => {
    if (await page.tryRequest('copyMessage', id)) page.toasts.show(text('Copied'));
  };
  const quote = () => page.composer?.setText((draft) => withQuote(draft, selectionIn(message) || messageText(message)));

  const fork = async () => {
    const last = page.session?.transcript.last?.id;
    if (!(await page.tryRequest('fork', id)) || isExternal) return;
    // Until there is another message here, no button leads to the previous branch.
    const undo = () => last && void page.request('switchBranch', { message: last });
    page.showUndo(text('Your next message starts a new branch here. The previous branch is kept.'), undo);
    page.composer?.focus();
  };
  const remove = async () => {
    if (!(await page.tryRequest('deleteMessage', id))) return;
    const undo = () => void page.request('undoDelete', id);
    page.showUndo(text('Message deleted. Its text stays in the session file.'), undo);
  };
  // Steps that the current task already has keep their status.
  const adoptSteps = async () => {
    const { session } = page;
    if (!session) return;
    const { id: own, title, task } = session;
    const known = new Map(task?.steps.map((step) => [step.text, step.status]));
    const steps = (message.steps ?? []).map((step) => ({
      text: step.text,
      status: step.done ? ('done' as const) : (known.get(step.text) ?? 'pending'),
    }));
    await page.request('setTask', { session: own, goal: task?.goal ?? title, steps });
  };
  const action = (
    icon: string,
    label: string,
    run: () => unknown,
    more?: { disabled?: boolean; refusal?: string | undefined },
  ) => <IconButton icon={icon} label={label} keepSelection {...more} onClick={() => void run()} />;
  const changes = { refusal: page.readOnly };
  const replies = { disabled: page.isReplying, refusal: page.readOnly };
  return (
    <div class="message-actions" role="group" aria-label={text('Message actions')}>
      {message.steps && action('checklist', text('Use as Task Steps'), adoptSteps, changes)}
      {message.files !== undefined &&
        action('git-pull-request-go-to-changes', text('Apply All in Editor ({0} Files)', String(message.files)), () =>
          page.request('applyEdits', id),
        )}
      {action('copy', text('Copy as Markdown'), copy)}
      {role === 'user' && action('edit', text('Edit and Resend'), edit, replies)}
      {role === 'assistant' && action('refresh', text('Retry'), () => page.request('retry', id), replies)}
      {(role === 'user' || role === 'assistant') && (
        <>
          {action('quote', text('Quote'), quote)}
          {action(
            'pin',
            text('Pin as Key Event'),
            () => page.pinQuote({ ...id, quote: selectionIn(message) }),
            changes,
          )}
          {action('bookmark', text('Save to Workspace Memory'), () =>
            page.request('remember', { ...id, quote: selectionIn(message) }),
          )}
          {action(
            'repo-forked',
            text(isExternal ? 'Continue Here' : 'Start New Branch from Here'),
            fork,
            isExternal ? { disabled: page.isReplying } : replies,
          )}
        </>
      )}
      {action('trash', text('Delete Message'), remove, replies)}
    </div>
  );
}

/** The selected text if the selection starts in this message, otherwise ''. */
function selectionIn(message: MessageView): string {
  const selection = window.getSelection();
  const node = selection?.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  const within = element?.closest<HTMLElement>('[data-message]')?.dataset['message'] === message.id;
  return within ? selection!.toString().trim() : '';
}
