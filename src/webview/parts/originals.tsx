import { useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/views.ts';
import { formatCount, formatCounted, formatTime } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon } from './icon-button.tsx';
import { Parts } from './parts.tsx';
import { ICONS, NAMES } from './roles.ts';

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
          {messages ? text('hideOriginals') : formatCounted(to - from + 1, 'showOriginal', 'showOriginals')}
        </button>
      </div>
      {messages && (
        <div class="originals" role="group" aria-label={text('originals')}>
          {messages.map((message, index) => (
            <div key={message.id} class={`original from-${message.role}`}>
              <p class="original-head">
                <Icon name={ICONS[message.role]} />
                <span class="name">{text(NAMES[message.role])}</span>
                <span class="meta">{formatTime(message.at)}</span>
                <button
                  type="button"
                  class="text-button"
                  onClick={() => page.signal({ type: 'reveal', position: from + index })}
                >
                  {text('recallHit', formatCount(from + index + 1))}
                </button>
              </p>
              <Parts message={message} />
            </div>
          ))}
          {left > 0 && (
            <button type="button" class="text-button" aria-busy={loading} onClick={() => void more()}>
              {text('moreOriginals', formatCount(left))}
            </button>
          )}
        </div>
      )}
    </>
  );
}
