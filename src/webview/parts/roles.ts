import type { MessageView } from '../../protocol/views.ts';
import type { TextKey } from '../texts.ts';

/** Who speaks, by role. */
export const NAMES: Readonly<Record<MessageView['role'], TextKey>> = {
  user: 'you',
  assistant: 'assistant',
  system: 'systemRole',
  tool: 'toolRole',
};

/** The codicon of each role. */
export const ICONS: Readonly<Record<MessageView['role'], string>> = {
  user: 'account',
  assistant: 'comment-discussion-sparkle',
  system: 'settings-gear',
  tool: 'tools',
};
