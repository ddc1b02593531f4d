import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import type { InitMessage } from '../../../src/protocol/messages.ts';
import type { MessageView } from '../../../src/protocol/views.ts';
import { INIT as STATE } from '../../ui/page-states.ts';

export const messageView = (id: string, text: string, role: MessageView['role'] = 'assistant'): MessageView => ({
  id: messageId(id),
  role,
  parts: [{ type: 'text', text }],
  at: 1,
});

/** A session of two messages, as it's sent to the page. */
export const INIT: InitMessage = {
  ...STATE,
  type: 'init',
  session: sessionId('s1'),
  total: 2,
  messages: [messageView('m0', 'a'), messageView('m1', 'b')],
  settings: { ...STATE.settings, sendWhileResponding: 'queue' },
};
