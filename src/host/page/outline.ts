import type { Conversation } from '../../app/conversation.ts';
import type { OutlineView } from '../../protocol/views.ts';

/** The session in at most `buckets` parts of equal numbers of messages, oldest first. */
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
      const message = state.messages.get(state.path[position]!);
      if (!message) continue;
      tokens += conversation.counts.total(message);
      if (message.role === 'user') users++;
    }
    list.push({ from, to, tokens, users, keyEvents: marks.get(from / size) ?? 0 });
  }
  return { total, buckets: list };
}
