import { Component } from 'preact';
import type { CompressionView, MessageView } from '../../protocol/views.ts';
import { formatDay, isSameDay } from '../format.ts';
import { text } from '../texts.ts';
import { CompressionRow } from './compression-row.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { Message, type MessageProps } from './message.tsx';

interface Props extends Omit<MessageProps, 'message'> {
  /** Undefined until it's loaded. */
  readonly message: MessageView | undefined;
  /** The start of the current day, in ms since the epoch. */
  readonly today: number;
  readonly previousAt: number | undefined;
  readonly compressionsBefore: readonly CompressionView[] | undefined;
  readonly compressionsAfter: readonly CompressionView[] | undefined;
  /** The page's values that the row also shows, so that it's rendered again when they change. */
  readonly isReplying: boolean;
  readonly readOnly: string | undefined;
}

/** A message with the compressions before and after it. Only rendered again if a prop changes. */
export class TranscriptRow extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((key) => next[key] !== this.props[key]);
  }

  override render(props: Props) {
    const { row, total, today, message, previousAt, compressionsBefore, compressionsAfter } = props;
    const newDay = message && (previousAt === undefined || !isSameDay(message.at, previousAt));
    return (
      <div class="row" data-row={row} role="presentation">
        {compressionsBefore?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
        {newDay && (
          <div class="day line meta" role="presentation">
            <span>{formatDay(message.at, today)}</span>
          </div>
        )}
        {message ? (
          <MessageBoundary key={message.id} message={message}>
            <Message {...props} message={message} />
          </MessageBoundary>
        ) : (
          <RowPlaceholder row={row} total={total} />
        )}
        {compressionsAfter?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
      </div>
    );
  }
}

function RowPlaceholder({ row, total }: { readonly row: number; readonly total: number }) {
  return (
    <div
      class="message unloaded"
      role="article"
      aria-posinset={row + 1}
      aria-setsize={total}
      aria-label={text('Loading…')}
      tabIndex={-1}
    >
      <span class="bone" />
      <span class="bone" />
      <span class="bone short" />
    </div>
  );
}
