import { Component, type ComponentChildren } from 'preact';
import type { MessageView, PartView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Button, Icon } from './elements.tsx';
import { PlainText } from './markdown.tsx';

interface Props {
  readonly message: MessageView;
  readonly children: ComponentChildren;
}

interface State {
  readonly failed?: MessageView;
  readonly error?: string;
}

/** An error boundary: shows a message's source if rendering it fails. */
export class MessageBoundary extends Component<Props, State> {
  override componentDidCatch(error: unknown): void {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.setState({ failed: this.props.message, error: details.slice(0, 4_000) });
  }

  override render({ message, children }: Props, { failed, error }: State) {
    // Try again once the message has changed.
    return failed === message ? <MessageSource message={message} error={error ?? ''} /> : children;
  }
}

function MessageSource({ message, error }: { readonly message: MessageView; readonly error: string }) {
  const page = usePage();
  const report = () => {
    page.post({ type: 'pageFault', text: error });
    page.runCommand('openLog');
  };
  return (
    <div class="message" role="article" tabIndex={-1} data-message={message.id}>
      <p class="fault" role="alert">
        <Icon name="error" /> {text('This message can’t be displayed. Its source is below.')}{' '}
        <Button onClick={report}>{text('Show Log')}</Button>
      </p>
      <div class="message-body">
        <PlainText source={message.parts.map(partSource).join('\n\n')} label={text('Source')} />
      </div>
    </div>
  );
}

function partSource(part: PartView): string {
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
