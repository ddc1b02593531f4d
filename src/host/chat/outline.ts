import type { Conversation } from '../../app/conversation.ts';
import type { MessageId } from '../../core/model/ids.ts';
import type { OutlineView } from '../../protocol/views.ts';

/**
 * The session in at most `buckets` parts of equal numbers of messages, oldest first. What messages say is read only for
 * those that were never counted.
 */
export function outline(conversation: Conversation, buckets: number): OutlineView {
  const { state } = conversation;
  const total = state.path.length;
  const size = Math.max(1, Math.ceil(total / Math.max(1, buckets)));
  const marks = new Map<number, number>();
  for (const event of state.events.values()) {
    const position = state.positionOf(event.message);
    if (position === undefined || state.isRemoved(event.id)) continue;
    const bucket = Math.floor(position / size);
    marks.set(bucket, (marks.get(bucket) ?? 0) + 1);
  }
  const list: OutlineView['buckets'][number][] = [];
  for (let from = 0; from < total; from += size) {
    const to = Math.min(from + size, total) - 1;
    let tokens = 0;
    let users = 0;
    for (let position = from; position <= to; position++) {
      const id = state.path[position]!;
      tokens += conversation.counts.known(id) ?? countNow(conversation, id);
      if (state.messages.place(id)?.role === 'user') users++;
    }
    list.push({ from, to, tokens, users, keyEvents: marks.get(from / size) ?? 0 });
  }
  return { total, buckets: list };
}

function countNow({ state, counts }: Conversation, id: MessageId): number {
  const message = state.messages.get(id);
  return message ? counts.total(message) : 0;
}
