import { useEffect, useState } from 'preact/hooks';
import type { CompressionView, MessageView, NodeView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted, formatPercent, formatTime } from '../format.ts';
import { roleName } from '../translated-names.ts';
import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { Button, Disclosure, Icon } from './elements.tsx';
import { KeyEventList } from './key-events.tsx';
import { Markdown } from './markdown.tsx';
import { MessageParts } from './message-parts.tsx';
import { ROLE_ICONS } from './message.tsx';

export function CompressionRow({ compression }: { readonly compression: CompressionView }) {
  const session = page.session?.id;
  const { id, nodes, tokens, keyEvents, costUsd, at, undone } = compression;
  const summaryCount = formatCounted(compression.summaries, '1 summary', '{0} summaries');
  const title = formatCounted(compression.messages, '1 message → {1}', '{0} messages → {1}', summaryCount);
  const { kept, total } = keyEvents;
  const facts = [
    text('Context: {0} → {1} tokens', formatCount(tokens.before), formatCount(tokens.after)),
    total > 0 && text(total === 1 ? '{0} of 1 key event kept' : '{0} of {1} key events kept', kept, total),
    costUsd !== null && formatCost(costUsd),
    formatTime(at),
  ];
  const undoneText = undone ? text('Undone. The replaced content is sent until it’s compressed again.') : undefined;
  const head = (
    <>
      <Icon name="archive" />
      <b>{title}</b>
      <span class="meta">{undoneText ?? facts.filter((each) => each !== false).join(' · ')}</span>
    </>
  );
  const undo = nodes.length > 0 && session !== undefined && page.readOnly === undefined && (
    <Button onClick={() => void page.request('undoCompression', { session, compression: id, undone: !undone })}>
      {text(undone ? 'Redo' : 'Undo')}
    </Button>
  );
  return (
    <div class={undone ? 'compression undone' : 'compression'} role="article" tabIndex={-1} aria-label={title}>
      <Disclosure head={head} action={undo} toggleClass="compression-toggle wrap">
        {nodes.map((node) => (
          <SummaryCard key={node} id={node} compression={compression} />
        ))}
      </Disclosure>
    </div>
  );
}

function SummaryCard(props: { readonly id: CompressionView['nodes'][number]; readonly compression: CompressionView }) {
  const { id, compression } = props;
  const [node, setNode] = useState<NodeView>();
  // The host sends the compressions again if a summary has changed.
  useEffect(() => {
    void page.request('openNode', { node: id }).then((answer) => answer && setNode(answer));
  }, [id, compression]);
  if (!node) return null;
  return (
    <div class="node">
      <h2>{node.title}</h2>
      <p class="meta">
        {summaryMethodText(node)} ·{' '}
        {text('{0} → {1} tokens', formatCount(node.tokens.source), formatCount(node.tokens.shown))} ·{' '}
        {formatPercent(node.audit.score)}
      </p>
      {node.audit.faults.length > 0 && (
        <p class="fault">
          <Icon name="warning" /> {text('Not in the source: {0}', node.audit.faults.join(', '))}
        </p>
      )}
      <Markdown source={node.text} />
      {node.events.length > 0 && <KeyEventList events={node.events} readOnly />}
      <div class="row-of-buttons">
        <Button onClick={() => void page.request('openNodeInEditor', { node: id })}>{text('Open in Editor')}</Button>
      </div>
      <OriginalMessages from={node.from} to={node.to} />
    </div>
  );
}

function summaryMethodText(node: NodeView): string {
  switch (node.method) {
    case 'extractive':
      return text('Extracted from the source without a model');
    case 'cut':
      return text('Truncated: no valid summary could be generated');
    case 'edited':
      return text('Edited by you');
    case 'model':
    case 'retry':
    case 'tight':
      return text('Written by {0}', node.model);
  }
}

/** Number of original messages to load at a time. A summary may cover hundreds. */
const ORIGINALS_PER_REQUEST = 20;

/** The messages that a summary covers; positions are 0-based and inclusive. */
function OriginalMessages({ from, to }: { readonly from: number; readonly to: number }) {
  const [messages, setMessages] = useState<readonly MessageView[]>();
  const [loading, setLoading] = useState(false);
  const shown = messages?.length ?? 0;
  const remaining = to - from + 1 - shown;
  const loadMore = async () => {
    if (!page.session || loading) return;
    setLoading(true);
    const { epoch } = page.session;
    const count = Math.min(ORIGINALS_PER_REQUEST, remaining);
    const answer = await page.request('loadMessages', { epoch, from: from + shown, count });
    setLoading(false);
    // The answer is empty if the positions are outdated. The row is rendered again then.
    if (answer && answer.messages.length > 0) setMessages([...(messages ?? []), ...answer.messages]);
  };
  return (
    <>
      <div class="row-of-buttons">
        <Button
          aria-expanded={messages !== undefined}
          aria-busy={loading}
          onClick={() => (messages ? setMessages(undefined) : void loadMore())}
        >
          {messages
            ? text('Hide Original Messages')
            : formatCounted(to - from + 1, 'Show Original Message', 'Show {0} Original Messages')}
        </Button>
      </div>
      {messages && (
        <div class="originals" role="group" aria-label={text('Original messages')}>
          {messages.map((message, index) => (
            <div key={message.id} class="original">
              <p class="line">
                <Icon name={ROLE_ICONS[message.role]} />
                <b>{roleName(message.role)}</b>
                <span class="meta">{formatTime(message.at)}</span>
                <Button onClick={() => page.list?.reveal(from + index)}>
                  {text('Message {0}', formatCount(from + index + 1))}
                </Button>
              </p>
              <MessageParts message={message} />
            </div>
          ))}
          {remaining > 0 && (
            <Button aria-busy={loading} onClick={() => void loadMore()}>
              {text('Show More ({0} remaining)', formatCount(remaining))}
            </Button>
          )}
        </div>
      )}
    </>
  );
}
