import { useEffect, useRef, useState } from 'preact/hooks';
import type { MessageView, CoverView } from '../../protocol/views.ts';
import { formatFull, formatShort, formatTime, formatTokens } from '../format.ts';
import { usePage } from '../page-context.ts';
import { isUnanswered, sends } from '../sending.ts';
import { text } from '../texts.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { EventMarks } from './event-marks.tsx';
import { Icon, IconButton } from './icon-button.tsx';
import { MessageParts } from './message-parts.tsx';
import { ICONS, NAMES } from './roles.ts';
import { lastText, type Page } from '../page.ts';

type Tokens = NonNullable<MessageView['tokens']>;

/** Characters from which a message has its actions at its end, too. */
const LONG = 1_500;

const ENDINGS = {
  stopped: () => text('Stopped'),
  interrupted: () => text('Interrupted (partial response)'),
  length: () => text('Truncated: the response reached the length limit'),
};

/** A message with its head, its parts, what can be done with it, and how it ended. */
export function Message(props: {
  readonly message: MessageView;
  readonly row: number;
  readonly total: number;
  readonly nextRole: MessageView['role'] | undefined;
  readonly cover: CoverView | undefined;
  readonly marked: boolean;
  readonly busy: boolean;
}) {
  const { message, row, cover } = props;
  const page = usePage();
  const [editing, setEditing] = useState(false);
  const actions = !message.streaming && !editing && (
    <MessageActions message={message} busy={props.busy} edit={() => setEditing(true)} />
  );
  const head = `head-${message.id}`;
  const isLast = row === props.total - 1;
  const unanswered = isUnanswered(message, props.nextRole, isLast, props.busy);
  const classes = ['message', `from-${message.role}`];
  if (cover) classes.push('covered');
  if (props.marked) classes.push('marked');
  if (message.streaming) classes.push('streaming');
  return (
    <div
      class={classes.join(' ')}
      role="article"
      aria-labelledby={head}
      aria-posinset={row + 1}
      aria-setsize={props.total}
      aria-busy={message.streaming}
      tabIndex={-1}
      data-message={message.id}
    >
      <div class="message-head">
        <h2 class="message-name" id={head}>
          <Icon name={ICONS[message.role]} />
          <span class="name">{NAMES[message.role]()}</span>
          {message.model !== undefined && <span class="meta model">{message.model}</span>}
          <time class="meta" dateTime={new Date(message.at).toISOString()} title={formatFull(message.at)}>
            {formatTime(message.at)}
          </time>
        </h2>
        {message.tokens && <Usage tokens={message.tokens} about={isEstimate(message) ? '~' : ''} />}
        {actions}
      </div>
      {cover?.from === row && (
        <button
          type="button"
          class="cover-chip"
          title={text('Sent as part of this summary instead of verbatim.')}
          onClick={() => void page.ask('openNodeInEditor', { node: cover.node })}
        >
          <Icon name="fold" />
          <span>{text('In a summary: {0}', cover.title)}</span>
        </button>
      )}
      {message.recalled && message.recalled.length > 0 && (
        <details class="recalled">
          <summary>{text('Recalled excerpts: {0}', String(message.recalled.length))}</summary>
          {message.recalled.map((one) => (
            <button
              key={one.position}
              type="button"
              class="recalled-excerpt"
              onClick={() => page.signal({ type: 'reveal', position: one.position })}
            >
              {`${one.position + 1} · ${one.role}: ${one.text.slice(0, 300)}`}
            </button>
          ))}
        </details>
      )}
      {editing ? (
        <MessageEditor message={message} close={() => setEditing(false)} />
      ) : (
        <div class="message-body">
          <MessageParts message={message} />
        </div>
      )}
      {message.attachments && message.attachments.length > 0 && (
        <div class="chips">
          {message.attachments.map((each) => (
            <AttachmentChip key={each.id} attachment={each} />
          ))}
        </div>
      )}
      <Foot message={message} busy={props.busy} isLast={isLast} unanswered={unanswered} />
      {isLong(message) && actions && <div class="actions-at-end">{actions}</div>}
      {message.events && message.events.length > 0 && <EventMarks events={message.events} />}
    </div>
  );
}

/** Whether the end of a message may stand below the view while its beginning is above it. */
function isLong(message: MessageView): boolean {
  return message.parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0) > LONG;
}

/** Providers report the usage of whole replies alone: that of one that ended early is estimated. */
const isEstimate = ({ ending }: MessageView): boolean => ending === 'stopped' || ending === 'interrupted';

function Usage({ tokens, about }: { readonly tokens: Tokens; readonly about: string }) {
  const { input, output, cachedInput } = tokens;
  return (
    <span
      class="meta usage"
      title={cachedInput ? text('{0} input tokens read from cache', formatShort(cachedInput)) : undefined}
    >
      {about}
      {input === undefined ? formatTokens(output) : text('{0} in · {1} out', formatShort(input), formatShort(output))}
    </span>
  );
}

function Foot(props: {
  readonly message: MessageView;
  readonly busy: boolean;
  readonly isLast: boolean;
  readonly unanswered: boolean;
}) {
  const { message, busy, unanswered } = props;
  const page = usePage();
  const { ending, branches } = message;
  const unusual = ending && ending !== 'complete' ? ENDINGS[ending] : undefined;
  if (!unusual && !branches && !unanswered) return null;
  return (
    <div class="message-foot">
      {branches && branches.ids.length > 1 && (
        <span class="branches">
          <IconButton
            icon="chevron-left"
            label={text('Previous Branch')}
            disabled={busy || branches.index === 0}
            onClick={() => void page.ask('switchBranch', { message: branches.ids[branches.index - 1]! })}
          />
          <span>{text('Branch {0} of {1}', branches.index + 1, branches.ids.length)}</span>
          <IconButton
            icon="chevron-right"
            label={text('Next Branch')}
            disabled={busy || branches.index >= branches.ids.length - 1}
            onClick={() => void page.ask('switchBranch', { message: branches.ids[branches.index + 1]! })}
          />
        </span>
      )}
      {unusual && (
        <span class={`ending ending-${ending}`}>
          <Icon name={ending === 'stopped' ? 'debug-stop' : 'warning'} /> {unusual()}
        </span>
      )}
      {unusual && !busy && props.isLast && (
        <button type="button" class="text-button" onClick={() => void page.ask('continue', { message: message.id })}>
          {text('Continue')}
        </button>
      )}
      {unanswered && !busy && (
        <button type="button" class="text-button" onClick={() => void page.ask('retry', { message: message.id })}>
          {text('Retry')}
        </button>
      )}
    </div>
  );
}

/** A message's text in an editor; sending it starts a new branch. */
export function MessageEditor(props: { readonly message: MessageView; readonly close: () => void }) {
  const page = usePage();
  const [value, setValue] = useState(lastText(props.message));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const resend = async () => {
    if (value.trim() === '') return;
    if (await page.do('editAndResend', { message: props.message.id, text: value })) props.close();
  };
  return (
    <div class="message-editor">
      <textarea
        ref={field}
        value={value}
        aria-label={text('Edit and Resend')}
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') props.close();
          else if (sends(event, page.session?.settings.enterSends ?? true)) void resend();
          else return;
          event.preventDefault();
        }}
      />
      <div class="row-of-buttons">
        <span class="meta">{text('Later messages are kept on a separate branch.')}</span>
        <button type="button" class="button secondary" onClick={props.close}>
          {text('Cancel')}
        </button>
        <button type="button" class="button" disabled={value.trim() === ''} onClick={() => void resend()}>
          {text('Send')}
        </button>
      </div>
    </div>
  );
}

/** What can be done with a message, or with what is selected of it. */
export function MessageActions(props: {
  readonly message: MessageView;
  readonly busy: boolean;
  readonly edit: () => void;
}) {
  const { message } = props;
  const page = usePage();
  const isForeign = page.session?.status.foreign === true;
  const busy = props.busy || isForeign;
  const id = { message: message.id };
  const spoken = message.role === 'user' || message.role === 'assistant';
  return (
    <div class="message-actions" role="group" aria-label={text('Message actions')}>
      {message.steps && (
        <IconButton icon="checklist" label={text('Use as Task Steps')} onClick={() => void adopt(page, message)} />
      )}
      {message.files !== undefined && (
        <IconButton
          icon="git-pull-request-go-to-changes"
          label={text('Apply All in Editor ({0} Files)', String(message.files))}
          onClick={() => void page.ask('applyEdits', id)}
        />
      )}
      <IconButton icon="copy" label={text('Copy as Markdown')} onClick={() => void copyMessage(page, message)} />
      {message.role === 'user' && (
        <IconButton icon="edit" label={text('Edit and Resend')} disabled={busy} onClick={props.edit} />
      )}
      {message.role === 'assistant' && (
        <IconButton icon="refresh" label={text('Retry')} disabled={busy} onClick={() => void page.ask('retry', id)} />
      )}
      {spoken && (
        <>
          <IconButton icon="quote" label={text('Quote')} keepSelection onClick={() => quote(page, message)} />
          <IconButton
            icon="pin"
            label={text('Pin as Key Event')}
            keepSelection
            onClick={() => void pin(page, message)}
          />
          <IconButton
            icon="bookmark"
            label={text('Save to Workspace Memory')}
            keepSelection
            onClick={() => void page.ask('remember', { ...id, quote: selectionIn(message) })}
          />
          <IconButton
            icon="repo-forked"
            label={text(isForeign ? 'Continue Here' : 'Start New Branch from Here')}
            disabled={props.busy}
            onClick={() => void fork(page, message, isForeign)}
          />
        </>
      )}
      <IconButton
        icon="trash"
        label={text('Delete Message')}
        disabled={busy}
        onClick={() => void remove(page, message)}
      />
    </div>
  );
}

async function copyMessage(page: Page, message: MessageView): Promise<void> {
  if (await page.do('copyMessage', { message: message.id })) page.tell(text('Copied'));
}

async function fork(page: Page, message: MessageView, isForeign: boolean): Promise<void> {
  if ((await page.do('fork', { message: message.id })) && !isForeign)
    page.tell(text('Your next message starts a new branch here. The previous branch is kept.'));
}

async function remove(page: Page, message: MessageView): Promise<void> {
  if (!(await page.do('deleteMessage', { message: message.id }))) return;
  const undo = () => void page.ask('undoDelete', { message: message.id });
  page.tell(text('Message deleted. Its text stays in the session file.'), 'info', { label: text('Undo'), run: undo });
}

/** The selected text, if it lies in this message. */
function selectionIn(message: MessageView): string {
  const selection = window.getSelection();
  const node = selection?.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  const within = element?.closest<HTMLElement>('[data-message]')?.dataset['message'] === message.id;
  return within ? selection!.toString().trim() : '';
}

function quote(page: Page, message: MessageView): void {
  const source = selectionIn(message) || lastText(message);
  page.signal({ type: 'quote', text: source });
}

async function pin(page: Page, message: MessageView): Promise<void> {
  const fields = { message: message.id, quote: selectionIn(message), kind: 'fact' as const };
  if (await page.do('pinQuote', fields)) page.tell(text('Pinned. This text stays verbatim through every compression.'));
}

/** Makes the task lists of a reply the steps of the task; what was done of a task that is there stays done. */
async function adopt(page: Page, { steps = [] }: MessageView): Promise<void> {
  const task = page.session?.task;
  const known = new Map(task?.steps.map((step) => [step.text, step.status]));
  await page.ask('setTask', {
    goal: task?.goal ?? page.session?.title ?? '',
    steps: steps.map((step) => ({ text: step.text, status: step.done ? 'done' : (known.get(step.text) ?? 'pending') })),
  });
}
