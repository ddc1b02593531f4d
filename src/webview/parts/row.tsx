import { Component, createRef } from 'preact';
import type { MessageView, CompressionView, CoverView } from '../../protocol/views.ts';
import { formatDay, sameDay } from '../format.ts';
import { text } from '../texts.ts';
import { CompressionRow } from './compression-row.tsx';
import { Message } from './message.tsx';
import { MessageBoundary } from './message-boundary.tsx';

interface Props {
  readonly row: number;
  readonly total: number;
  readonly message: MessageView | undefined;
  readonly previousAt: number | undefined;
  readonly nextRole: MessageView['role'] | undefined;
  readonly cover: CoverView | undefined;
  /** Compressions to show before the message. */
  readonly first: readonly CompressionView[] | undefined;
  /** Compressions to show after it. */
  readonly compressions: readonly CompressionView[] | undefined;
  readonly marked: boolean;
  readonly busy: boolean;
  readonly observe: (element: HTMLElement) => () => void;
}

/** One row of the transcript: a message with what belongs to its place. Drawn anew only when its own data change. */
export class Row extends Component<Props> {
  readonly #element = createRef<HTMLDivElement>();
  #unobserve: (() => void) | undefined;

  override componentDidMount(): void {
    if (this.#element.current) this.#unobserve = this.props.observe(this.#element.current);
  }

  override componentWillUnmount(): void {
    this.#unobserve?.();
  }

  override shouldComponentUpdate(next: Props): boolean {
    const now = this.props;
    return (
      next.message !== now.message ||
      next.row !== now.row ||
      next.total !== now.total ||
      next.previousAt !== now.previousAt ||
      next.nextRole !== now.nextRole ||
      next.cover !== now.cover ||
      next.first !== now.first ||
      next.compressions !== now.compressions ||
      next.marked !== now.marked ||
      next.busy !== now.busy
    );
  }

  override render({ row, total, message, previousAt, nextRole, cover, first, compressions, marked, busy }: Props) {
    const newDay = message && (previousAt === undefined || !sameDay(message.at, previousAt));
    return (
      <div class="row" data-row={row} ref={this.#element} role="presentation">
        {first?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
        {newDay && (
          <div class="day" role="presentation">
            <span>{formatDay(message.at, Date.now())}</span>
          </div>
        )}
        {message ? (
          <MessageBoundary key={message.id} message={message}>
            <Message
              message={message}
              row={row}
              total={total}
              nextRole={nextRole}
              cover={cover}
              marked={marked}
              busy={busy}
            />
          </MessageBoundary>
        ) : (
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
        )}
        {compressions?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
      </div>
    );
  }
}
