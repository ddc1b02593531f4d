import type { StatusView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

/** What is sent after the reply that is arriving, above the composer; each can be sent at once, edited or removed. */
export function QueuedMessages(props: { readonly queue: StatusView['queue']; readonly edit: (text: string) => void }) {
  const page = usePage();
  const { items, isHeld } = props.queue;
  if (items.length === 0) return null;
  const heading = text(isHeld ? 'queueHeld' : 'queued');
  const take = async (id: string, edit: boolean): Promise<void> => {
    const taken = await page.ask('takeQueued', { id, edit });
    if (edit && taken?.text != null) props.edit(taken.text);
    page.signal({ type: 'focus', target: 'composer' });
  };
  return (
    <section class="queue" aria-label={heading}>
      <p class="meta">
        <Icon name={isHeld ? 'debug-pause' : 'list-ordered'} /> {heading}
      </p>
      <ol>
        {items.map((each) => (
          <li key={each.id}>
            <span class="queued-text">{each.text}</span>
            {each.attachments > 0 && (
              <span class="meta" title={text('attachments')}>
                <Icon name="attach" /> {each.attachments}
              </span>
            )}
            <IconButton
              icon="arrow-up"
              label={text('sendNow')}
              onClick={() => void page.ask('sendQueued', { id: each.id })}
            />
            <IconButton icon="edit" label={text('editQueued')} onClick={() => void take(each.id, true)} />
            <IconButton icon="close" label={text('removeQueued')} onClick={() => void take(each.id, false)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
