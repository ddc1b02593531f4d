import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useState } from 'preact/hooks';
import type { MessageView, PartView } from '../../protocol/views.ts';
import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { Button, Icon } from './elements.tsx';
import { PlainText } from './markdown.tsx';

/** An error boundary: shows a message's source if rendering it fails, and tries again once the message has changed. */
export function MessageBoundary(props: { readonly message: MessageView; readonly children: ComponentChildren }) {
  const [failed, setFailed] = useState<MessageView>();
  const [error] = useErrorBoundary(() => setFailed(props.message)) as [unknown, () => void];
  if (failed !== props.message) return <>{props.children}</>;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return <MessageSource message={props.message} error={details.slice(0, 4_000)} />;
}

function MessageSource({ message, error }: { readonly message: MessageView; readonly error: string }) {
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
