import { useState } from 'preact/hooks';
import type { MessageView, CompressionView, NodeView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted, formatPercent, formatTime } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { EventList } from './event-marks.tsx';
import { Icon } from './icon-button.tsx';
import { Markdown } from './markdown.tsx';
import { MessageParts } from './message-parts.tsx';
import { ICONS, NAMES } from './roles.ts';

/** A compression, where it happened: what it saved, and under it the summaries it made. */
export function CompressionRow({ compression }: { readonly compression: CompressionView }) {
  const page = usePage();
  const [nodes, setNodes] = useState<readonly NodeView[]>();
  const [loading, setLoading] = useState(false);
  const { tokens, keyEvents, undone } = compression;
  const toggle = async () => {
    if (nodes) {
      setNodes(undefined);
      return;
    }
    setLoading(true);
    const answers = await Promise.all(compression.nodes.map((node) => page.ask('openNode', { node })));
    setLoading(false);
    setNodes(answers.filter((answer) => answer !== undefined));
  };
  const undo = () => void page.ask('undoCompression', { compression: compression.id, undone: !undone });
  const made = formatCounted(compression.summaries, '1 summary', '{0} summaries');
  const title = formatCounted(compression.messages, '1 message → {1}', '{0} messages → {1}', made);
  const facts = [
    text('Context: {0} → {1} tokens', formatCount(tokens.before), formatCount(tokens.after)),
    ...(keyEvents.total > 0
      ? [
          text(
            keyEvents.total === 1 ? '{0} of 1 key event kept' : '{0} of {1} key events kept',
            keyEvents.kept,
            keyEvents.total,
          ),
        ]
      : []),
    ...(compression.costUsd === null ? [] : [formatCost(compression.costUsd)]),
    formatTime(compression.at),
  ];
  return (
    <div class={`compression ${undone ? 'undone' : ''}`} role="article" tabIndex={-1} aria-label={title}>
      <div class="compression-head">
        <button
          type="button"
          class="compression-toggle"
          aria-expanded={nodes !== undefined}
          aria-busy={loading}
          title={text(nodes ? 'Hide Summary' : 'Show Summary')}
          onClick={() => void toggle()}
        >
          <Icon name={nodes ? 'chevron-down' : 'chevron-right'} />
          <Icon name="archive" />
          <span class="compression-title">{title}</span>
          <span class="meta">
            {undone ? text('Undone. The replaced content is sent until it’s compressed again.') : facts.join(' · ')}
          </span>
        </button>
        {compression.nodes.length > 0 && (
          <button type="button" class="text-button" onClick={undo}>
            {text(undone ? 'Redo' : 'Undo')}
          </button>
        )}
      </div>
      {nodes?.map((node) => (
        <NodeCard key={node.id} node={node} />
      ))}
    </div>
  );
}

function NodeCard({ node }: { readonly node: NodeView }) {
  const page = usePage();
  return (
    <div class="node">
      <h2>{node.title}</h2>
      <p class="meta">
        {rungText(node)} · {text('{0} → {1} tokens', formatCount(node.tokens.source), formatCount(node.tokens.shown))} ·{' '}
        {formatPercent(node.audit.score)}
      </p>
      {node.audit.faults.length > 0 && (
        <p class="fault">
          <Icon name="warning" /> {text('Not in the source: {0}', node.audit.faults.join(', '))}
        </p>
      )}
      <Markdown source={node.text} />
      {node.events.length > 0 && <EventList events={node.events} fixed />}
      <div class="row-of-buttons">
        <button type="button" class="text-button" onClick={() => void page.ask('openNodeInEditor', { node: node.id })}>
          {text('Open in Editor')}
        </button>
      </div>
      <Originals from={node.from} to={node.to} />
    </div>
  );
}

function rungText(node: NodeView): string {
  switch (node.rung) {
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

/** Original messages that are put on the page at a time: a summary may stand for hundreds. */
const AT_ONCE = 20;

/** The messages that a summary stands for, opened where it stands; positions are 0-based, inclusive. */
export function Originals({ from, to }: { readonly from: number; readonly to: number }) {
  const page = usePage();
  const [messages, setMessages] = useState<readonly MessageView[]>();
  const [loading, setLoading] = useState(false);
  const shown = messages?.length ?? 0;
  const left = to - from + 1 - shown;
  const more = async () => {
    const { session } = page;
    if (!session || loading) return;
    setLoading(true);
    const request = { session: session.id, epoch: session.epoch, from: from + shown, count: Math.min(AT_ONCE, left) };
    const answer = await page.ask('loadMessages', request);
    setLoading(false);
    // Nothing came: the positions mean something else by now, and the row will be drawn anew.
    if (answer && answer.messages.length > 0) setMessages([...(messages ?? []), ...answer.messages]);
  };
  return (
    <>
      <div class="row-of-buttons">
        <button
          type="button"
          class="text-button"
          aria-expanded={messages !== undefined}
          aria-busy={loading}
          onClick={() => (messages ? setMessages(undefined) : void more())}
        >
          {messages
            ? text('Hide Original Messages')
            : formatCounted(to - from + 1, 'Show Original Message', 'Show {0} Original Messages')}
        </button>
      </div>
      {messages && (
        <div class="originals" role="group" aria-label={text('Original messages')}>
          {messages.map((message, index) => (
            <div key={message.id} class={`original from-${message.role}`}>
              <p class="original-head">
                <Icon name={ICONS[message.role]} />
                <span class="name">{NAMES[message.role]()}</span>
                <span class="meta">{formatTime(message.at)}</span>
                <button
                  type="button"
                  class="text-button"
                  onClick={() => page.signal({ type: 'reveal', position: from + index })}
                >
                  {text('Message {0}', formatCount(from + index + 1))}
                </button>
              </p>
              <MessageParts message={message} />
            </div>
          ))}
          {left > 0 && (
            <button type="button" class="text-button" aria-busy={loading} onClick={() => void more()}>
              {text('Show More ({0} remaining)', formatCount(left))}
            </button>
          )}
        </div>
      )}
    </>
  );
}
