import type { MessageView } from '../../protocol/views.ts';
import { text } from '../texts.ts';

/** Who speaks, by role. */
export const NAMES: Readonly<Record<MessageView['role'], () => string>> = {
  user: () => text('You'),
  assistant: () => text('Assistant'),
  system: () => text('System'),
  tool: () => text('Tool'),
};

/** The codicon of each role. */
export const ICONS: Readonly<Record<MessageView['role'], string>> = {
  user: 'account',
  assistant: 'comment-discussion-sparkle',
  system: 'settings-gear',
  tool: 'tools',
};
