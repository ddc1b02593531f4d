import { Component } from 'preact';
import type { CompressionView, CoverView, MessageView, PartView } from '../../protocol/views.ts';
import { formatDay, sameDay } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { CompressionRow } from './compression-row.tsx';
import { Button, Icon } from './elements.tsx';
import { PlainText } from './markdown.tsx';
import { Message } from './message.tsx';

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
}

interface State {
  readonly failed?: MessageView | undefined;
  readonly error?: string;
}

/**
 * One row of the transcript: a message with what belongs to its place. Drawn anew only when its own data change. Where
 * drawing a message fails its source is shown, so that no message takes the others with it.
 */
export class Row extends Component<Props, State> {
  override shouldComponentUpdate(next: Props, state: State): boolean {
    const now = this.props;
    return state !== this.state || (Object.keys(next) as (keyof Props)[]).some((key) => next[key] !== now[key]);
  }

  override componentDidCatch(error: unknown): void {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.setState({ failed: this.props.message, error: said.slice(0, 4_000) });
  }

  override render(props: Props, { failed, error = '' }: State) {
    const { row, total, message, previousAt, first, compressions } = props;
    const newDay = message && (previousAt === undefined || !sameDay(message.at, previousAt));
    return (
      <div class="row" data-row={row} role="presentation">
        {first?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
        {newDay && (
          <div class="day line meta" role="presentation">
            <span>{formatDay(message.at, Date.now())}</span>
          </div>
        )}
        {!message && <Unloaded row={row} total={total} />}
        {message && failed !== message && <Message key={message.id} {...props} message={message} />}
        {/* A message that has changed is tried again. */}
        {message && failed === message && <SourceOnly message={message} error={error} />}
        {compressions?.map((each) => (
          <CompressionRow key={each.id} compression={each} />
        ))}
      </div>
    );
  }
}

function Unloaded({ row, total }: { readonly row: number; readonly total: number }) {
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

function SourceOnly({ message, error }: { readonly message: MessageView; readonly error: string }) {
  const page = usePage();
  const report = () => {
    page.post({ type: 'pageFault', text: error });
    page.run('openLog');
  };
  return (
    <div class="message" role="article" tabIndex={-1} data-message={message.id}>
      <p class="fault" role="alert">
        <Icon name="error" /> {text('This message can’t be displayed. Its source is below.')}{' '}
        <Button onClick={report}>{text('Show Log')}</Button>
      </p>
      <div class="message-body">
        <PlainText source={message.parts.map(sourceOf).join('\n\n')} label={text('Source')} />
      </div>
    </div>
  );
}

function sourceOf(part: PartView): string {
  switch (part.type) {
    case 'text':
    case 'tool_result':
      return part.text;
    case 'tool_call':
      return `${part.name} ${part.json}`;
    case 'image':
      return `[${part.mediaType}]`;
  }
}
