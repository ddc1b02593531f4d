import { useState } from 'preact/hooks';
import { formatCounted } from '../format.ts';
import type { EventMark } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import type { Page } from '../page.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

/** The key events quoted from a message: a line that opens to the quotes. */
export function EventMarks({ events }: { readonly events: readonly EventMark[] }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="events">
      <button type="button" class="text-button quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="bookmark" />
        {formatCounted(events.length, '1 key event', '{0} key events')}
      </button>
      {open && <EventList events={events} />}
    </div>
  );
}

async function strike(page: Page, { id }: EventMark): Promise<void> {
  if (!(await page.do('removeEvent', { event: id, removed: true }))) return;
  const undo = () => void page.ask('removeEvent', { event: id, removed: false });
  page.tell(text('Key event dismissed.'), 'info', { label: text('Undo'), run: undo });
}

export function EventList({ events, fixed }: { readonly events: readonly EventMark[]; readonly fixed?: boolean }) {
  const page = usePage();
  return (
    <ul class="event-list">
      {events.map((event) => (
        <li key={event.id} class={`event event-${event.status}`}>
          <span class="event-kind">
            {event.pinned && <Icon name="pinned" />}
            {event.kind}
          </span>
          <q>{event.quote}</q>
          {!fixed && (
            <span class="event-actions">
              <IconButton
                icon={event.pinned ? 'pinned' : 'pin'}
                label={text(event.pinned ? 'Unpin' : 'Pin')}
                pressed={event.pinned}
                onClick={() => void page.ask('setEventPinned', { event: event.id, pinned: !event.pinned })}
              />
              <IconButton icon="trash" label={text('Dismiss Key Event')} onClick={() => void strike(page, event)} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
