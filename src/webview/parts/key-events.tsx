import type { EventMark } from '../../protocol/views.ts';
import { formatCounted } from '../format.ts';
import { kindName, stateNames } from '../translated-names.ts';
import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { Disclosure, Icon, IconButton } from './elements.tsx';

export function KeyEvents({ events }: { readonly events: readonly EventMark[] }) {
  const head = (
    <>
      <Icon name="bookmark" />
      {formatCounted(events.length, '1 key event', '{0} key events')}
    </>
  );
  return (
    <Disclosure head={head} toggleClass="meta">
      <KeyEventList events={events} readOnly={page.readOnly !== undefined} />
    </Disclosure>
  );
}

/** With `readOnly`, the key events can't be pinned or dismissed. */
export function KeyEventList(props: { readonly events: readonly EventMark[]; readonly readOnly: boolean }) {
  const session = page.session?.id;
  if (session === undefined) return null;
  const dismiss = async ({ id }: EventMark) => {
    if (!(await page.tryRequest('removeEvent', { session, event: id, removed: true }))) return;
    const undo = () => void page.request('removeEvent', { session, event: id, removed: false });
    page.showUndo(text('Key event dismissed.'), undo);
  };
  return (
    <ul>
      {props.events.map((event) => (
        <li key={event.id} class={`event line event-${event.status}`}>
          <span class="event-kind meta">
            {event.pinned && <Icon name="pinned" />}
            {kindName(event.kind)}
          </span>
          <span class="off-screen">{stateNames(event).join(', ')}</span>
          <q class="fill">{event.quote}</q>
          {!props.readOnly && (
            <>
              <IconButton
                icon={event.pinned ? 'pinned' : 'pin'}
                label={text(event.pinned ? 'Unpin' : 'Pin')}
                pressed={event.pinned}
                onClick={() => void page.request('setEventPinned', { session, event: event.id, pinned: !event.pinned })}
              />
              <IconButton icon="trash" label={text('Dismiss Key Event')} onClick={() => void dismiss(event)} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
