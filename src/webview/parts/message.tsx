import { useState } from 'preact/hooks';
import type { CoverView } from '../../protocol/compression-views.ts';
import type { MessageView } from '../../protocol/views.ts';
import { formatFull, formatShort, formatTime, formatTokens } from '../format.ts';
import { usePage } from '../page-context.ts';
import { isUnanswered } from '../sending.ts';
import { text } from '../texts.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { EventMarks } from './event-marks.tsx';
import { Icon, IconButton } from './icon-button.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import { Parts } from './parts.tsx';
import { ICONS, NAMES } from './roles.ts';

type Tokens = NonNullable<MessageView['tokens']>;

/** Characters from which a message has its actions at its end, too. */
const LONG = 1_500;

const ENDINGS = { stopped: 'endedStopped', interrupted: 'endedInterrupted', length: 'endedLength' } as const;

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
          <span class="name">{text(NAMES[message.role])}</span>
          {message.model !== undefined && <span class="meta model">{message.model}</span>}
          <time class="meta" dateTime={new Date(message.at).toISOString()} title={formatFull(message.at)}>
            {formatTime(message.at)}
          </time>
        </h2>
        {message.tokens && <Usage tokens={message.tokens} />}
        {actions}
      </div>
      {cover?.from === row && (
        <button
          type="button"
          class="cover-chip"
          title={text('coveredHint')}
          onClick={() => void page.ask('openNodeInEditor', { node: cover.node })}
        >
          <Icon name="fold" />
          <span>{text('covered', cover.title)}</span>
        </button>
      )}
      {message.recalled && message.recalled.length > 0 && (
        <details class="recalled">
          <summary>{text('recalledCount', String(message.recalled.length))}</summary>
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
          <Parts message={message} />
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

function Usage({ tokens }: { readonly tokens: Tokens }) {
  const { input, output, cachedInput } = tokens;
  return (
    <span class="meta usage" title={cachedInput ? text('usageCached', formatShort(cachedInput)) : undefined}>
      {input === undefined ? formatTokens(output) : text('usage', formatShort(input), formatShort(output))}
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
            label={text('previousBranch')}
            disabled={busy || branches.index === 0}
            onClick={() => void page.ask('switchBranch', { message: branches.ids[branches.index - 1]! })}
          />
          <span>{text('branchOf', branches.index + 1, branches.ids.length)}</span>
          <IconButton
            icon="chevron-right"
            label={text('nextBranch')}
            disabled={busy || branches.index >= branches.ids.length - 1}
            onClick={() => void page.ask('switchBranch', { message: branches.ids[branches.index + 1]! })}
          />
        </span>
      )}
      {unusual && (
        <span class={`ending ending-${ending}`}>
          <Icon name={ending === 'stopped' ? 'debug-stop' : 'warning'} /> {text(unusual)}
        </span>
      )}
      {unusual && !busy && props.isLast && (
        <button type="button" class="text-button" onClick={() => void page.ask('continue', { message: message.id })}>
          {text('continue')}
        </button>
      )}
      {unanswered && !busy && (
        <button type="button" class="text-button" onClick={() => void page.ask('retry', { message: message.id })}>
          {text('retry')}
        </button>
      )}
    </div>
  );
}
