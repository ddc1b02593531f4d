import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { messageId, type MessageId } from '../../../src/core/model/ids.ts';
import type { ContentBlock, Role } from '../../../src/core/model/message.ts';
import type { SpokenTurn } from './steps.ts';

/** The messages of turns, each following the previous one; `now` is in milliseconds since the epoch. */
export function spokenMessages(
  turns: readonly SpokenTurn[],
  head: MessageId | null,
  nextId: () => string,
  now: number,
): SessionEvent[] {
  let parent = head;
  const events: SessionEvent[] = [];
  const add = (role: Role, content: readonly ContentBlock[]): MessageId => {
    const id = messageId(nextId());
    events.push({ type: 'message_added', message: { id, parent, role, content, at: now } });
    parent = id;
    return id;
  };
  for (const { ask, rest } of turns) {
    let before = add('user', [{ type: 'text', text: ask }]);
    for (const { kind, text } of rest) {
      const said: ContentBlock = { type: 'text', text };
      const times = { answer: 0, loose: 0, call: 1, parallel: 2 }[kind];
      const ids = Array.from({ length: times }, (_, n) => `${before}-${n}`);
      before = add('assistant', [
        said,
        ...ids.map((callId): ContentBlock => ({ type: 'tool_call', callId, name: 'run', json: '{"a":1}' })),
      ]);
      for (const callId of ids) before = add('tool', [{ type: 'tool_result', callId, text, isError: false }]);
      if (kind === 'loose') before = add('tool', [said]);
    }
  }
  return events;
}
