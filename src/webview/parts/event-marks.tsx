import type { EventMark } from '../../protocol/views.ts';
import { formatCounted } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Disclosure, Icon, IconButton } from './elements.tsx';

/** The key events quoted from a message, in a disclosure. */
export function EventMarks({ events }: { readonly events: readonly EventMark[] }) {
  const head = (
    <>
      <Icon name="bookmark" />
      {formatCounted(events.length, '1 key event', '{0} key events')}
    </>
  );
  return (
    <Disclosure head={head} toggleClass="meta">
      <EventList events={events} />
    </Disclosure>
  );
}

/** Key events; `fixed` ones can't be changed here. */
export function EventList({ events, fixed }: { readonly events: readonly EventMark[]; readonly fixed?: boolean }) {
  const page = usePage();
  const dismiss = async ({ id }: EventMark) => {
    if (!(await page.do('removeEvent', { event: id, removed: true }))) return;
    const undo = () => void page.ask('removeEvent', { event: id, removed: false });
    page.tell(text('Key event dismissed.'), 'info', { label: text('Undo'), run: undo });
  };
  return (
    <ul class="event-list">
      {events.map((event) => (
        <li key={event.id} class={`event line event-${event.status}`}>
          <span class="event-kind meta">
            {event.pinned && <Icon name="pinned" />}
            {event.kind}
          </span>
          <q class="fill">{event.quote}</q>
          {!fixed && (
            <>
              <IconButton
                icon={event.pinned ? 'pinned' : 'pin'}
                label={text(event.pinned ? 'Unpin' : 'Pin')}
                pressed={event.pinned}
                onClick={() => void page.ask('setEventPinned', { event: event.id, pinned: !event.pinned })}
              />
              <IconButton icon="trash" label={text('Dismiss Key Event')} onClick={() => void dismiss(event)} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
