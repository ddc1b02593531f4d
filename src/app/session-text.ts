import { nodeText } from '../core/context/render.ts';
import { levelOf } from '../core/context/ledger-lines.ts';
import { messageText } from '../core/model/message.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** A session as it would be sent: its summaries, then the messages that stand verbatim. */
export function sessionText(state: SessionState): string {
  const summaries = state.frontier.map((item) => nodeText(item.node, levelOf(state, item)));
  const messages = [...state.uncovered()].map(({ message }) => `${message.role}: ${messageText(message)}`);
  return [...summaries, ...messages].join('\n\n');
}
