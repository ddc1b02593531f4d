import { useEffect, useState } from 'preact/hooks';
import type { MessageView, PartView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import type { LiveReply } from '../state.ts';
import { text } from '../texts.ts';
import { Disclosure, Icon } from './elements.tsx';
import { Markdown, PlainText } from './markdown.tsx';

const NOTHING_YET: readonly PartView[] = [{ type: 'text', text: '' }];

/** The parts of a message, in order. */
export function MessageParts({ message }: { readonly message: MessageView }) {
  const page = usePage();
  const live = message.streaming && page.live?.id === message.id ? page.live : undefined;
  // An empty text part keeps the component mounted when the first text arrives.
  const parts = live && message.parts.length === 0 ? NOTHING_YET : message.parts;
  const rich = useRich(message);
  const last = parts.findLastIndex((part) => part.type === 'text');
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} role={message.role} rich={rich} live={index === last ? live : undefined} />
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
  readonly role: MessageView['role'];
  readonly rich: boolean;
  readonly live: LiveReply | undefined;
}) {
  const { part, role } = props;
  switch (part.type) {
    case 'text':
      if (role === 'tool' || role === 'system')
        return <Folded icon="note" title={firstLine(part.text)} content={part.text} />;
      if (!props.rich) return <PlainText source={part.text} label={text('Source')} />;
      return <Markdown source={part.text} live={props.live} breaks={role === 'user'} />;
    case 'image':
      return <img class="image" src={`data:${part.mediaType};base64,${part.base64}`} alt={text('Image')} />;
    case 'tool_call': {
      const { name, json } = part;
      return <Folded icon="tools" title={text('Called {0}', name)} detail={firstLine(json)} content={json} />;
    }
    case 'tool_result': {
      const [icon, title] = part.isError ? (['error', text('Failed')] as const) : (['output', text('Result')] as const);
      return <Folded icon={icon} title={title} detail={firstLine(part.text)} content={part.text} />;
    }
  }
}

function Folded(props: {
  readonly icon: string;
  readonly title: string;
  readonly detail?: string;
  readonly content: string;
}) {
  const head = (
    <>
      <Icon name={props.icon} />
      <span class="cut">{props.title}</span>
    </>
  );
  return (
    <Disclosure head={head} detail={props.detail && <code class="meta cut fill">{props.detail}</code>}>
      <PlainText source={props.content} label={props.title} />
    </Disclosure>
  );
}

const firstLine = (source: string): string => source.trimStart().slice(0, 160).split('\n', 1)[0]!;
