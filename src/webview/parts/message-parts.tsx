import { useEffect, useState } from 'preact/hooks';
import type { MessageView, PartView } from '../../protocol/views.ts';
import { truncate } from '../format.ts';
import { page } from '../page-instance.ts';
import type { LiveReply } from '../state.ts';
import { text } from '../texts.ts';
import { Disclosure, Icon } from './elements.tsx';
import { Markdown, PlainText } from './markdown.tsx';

const EMPTY_TEXT: readonly PartView[] = [{ type: 'text', text: '' }];

export function MessageParts({ message }: { readonly message: MessageView }) {
  const live = message.streaming && page.live?.id === message.id ? page.live : undefined;
  // An empty text part is replaced by the first text without mounting a new component.
  const parts = live && message.parts.length === 0 ? EMPTY_TEXT : message.parts;
  const asMarkdown = useRendersMarkdown(message);
  const lastText = parts.findLastIndex((part) => part.type === 'text');
  return (
    <>
      {parts.map((part, index) => (
        <Part
          key={index}
          part={part}
          role={message.role}
          asMarkdown={asMarkdown}
          live={index === lastText ? live : undefined}
        />
      ))}
    </>
  );
}

/** Whether a message is rendered as Markdown now. After the page has hung, messages wait in its `renderQueue`. */
function useRendersMarkdown({ id, plain }: MessageView): boolean {
  const { renderQueue } = page;
  const [isReady, setIsReady] = useState(!renderQueue);
  useEffect(
    () => (renderQueue && plain !== true ? renderQueue.add(id, () => setIsReady(true)) : undefined),
    [renderQueue, id, plain],
  );
  return isReady && plain !== true;
}

function Part(props: {
  readonly part: PartView;
  readonly role: MessageView['role'];
  readonly asMarkdown: boolean;
  readonly live: LiveReply | undefined;
}) {
  const { part, role } = props;
  switch (part.type) {
    case 'text':
      if (role === 'tool' || role === 'system')
        return <CollapsedText icon="note" title={firstLine(part.text)} content={part.text} />;
      if (!props.asMarkdown) return <PlainText source={part.text} label={text('Source')} />;
      return <Markdown source={part.text} live={props.live} breaks={role === 'user'} />;
    case 'image':
      return <img class="image" src={`data:${part.mediaType};base64,${part.base64}`} alt={text('Image')} />;
    case 'tool_call': {
      const { name, json } = part;
      return <CollapsedText icon="tools" title={text('Called {0}', name)} detail={firstLine(json)} content={json} />;
    }
    case 'tool_result': {
      const [icon, title] = part.isError ? (['error', text('Failed')] as const) : (['output', text('Result')] as const);
      return <CollapsedText icon={icon} title={title} detail={firstLine(part.text)} content={part.text} />;
    }
  }
}

function CollapsedText(props: {
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

const firstLine = (source: string): string => truncate(source.trimStart(), 160).split('\n', 1)[0]!;
