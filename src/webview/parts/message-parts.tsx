import { useEffect, useState } from 'preact/hooks';
import type { MessageView, PartView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon } from './icon-button.tsx';
import { Markdown, PlainText } from './markdown.tsx';

const NOTHING_YET: readonly PartView[] = [{ type: 'text', text: '' }];

/** The parts of a message, in order. */
export function MessageParts({ message }: { readonly message: MessageView }) {
  const page = usePage();
  const live = message.streaming && page.live?.id === message.id ? page.live : undefined;
  // An empty text part keeps the component mounted when the first text arrives.
  const parts = live && message.parts.length === 0 ? NOTHING_YET : message.parts;
  const rich = useRich(message);
  const lastText = parts.findLastIndex((part) => part.type === 'text');
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} message={message} rich={rich} live={index === lastText ? live : undefined} />
      ))}
    </>
  );
}

/** Whether a message is rendered as Markdown yet. A page that has hung before renders its messages one at a time. */
function useRich({ id, plain }: MessageView): boolean {
  const { careful } = usePage();
  const [rich, setRich] = useState(!careful);
  useEffect(
    () => (careful && plain !== true ? careful.queue(id, () => setRich(true)) : undefined),
    [careful, id, plain],
  );
  return rich && plain !== true;
}

function Part(props: {
  readonly part: PartView;
  readonly rich: boolean;
  readonly message: MessageView;
  readonly live: Parameters<typeof Markdown>[0]['live'];
}) {
  const { part } = props;
  switch (part.type) {
    case 'text':
      if (props.message.role === 'tool' || props.message.role === 'system') {
        return <Folded icon="note" title={firstLine(part.text)} content={part.text} />;
      }
      if (!props.rich) return <PlainText source={part.text} label={text('Source')} />;
      return <Markdown source={part.text} live={props.live} breaks={props.message.role === 'user'} />;
    case 'image':
      return <img class="image" src={`data:${part.mediaType};base64,${part.base64}`} alt={text('Image')} />;
    case 'tool_call':
      return (
        <Folded icon="tools" title={text('Called {0}', part.name)} detail={firstLine(part.json)} content={part.json} />
      );
    case 'tool_result':
      return (
        <Folded
          icon={part.isError ? 'error' : 'output'}
          title={text(part.isError ? 'Failed' : 'Result')}
          detail={firstLine(part.text)}
          content={part.text}
        />
      );
  }
}

/** A collapsible text. It's in the DOM only while it's expanded. */
function Folded(props: {
  readonly icon: string;
  readonly title: string;
  readonly detail?: string;
  readonly content: string;
}) {
  const [open, setOpen] = useState(false);
  return (
    <div class="folded">
      <button type="button" class="folded-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name={props.icon} />
        <span class="folded-title">{props.title}</span>
        {props.detail !== undefined && !open && <span class="meta folded-detail">{props.detail}</span>}
      </button>
      {open && <PlainText source={props.content} label={props.title} />}
    </div>
  );
}

function firstLine(source: string): string {
  return source.trimStart().slice(0, 400).split('\n', 1)[0]!.slice(0, 160);
}
