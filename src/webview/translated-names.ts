import { KIND_NAMES, ROLE_NAMES } from '../protocol/display-names.ts';
import type { EventMark } from '../protocol/views.ts';
import { phraseText, text } from './texts.ts';

export function roleName(role: string): string {
  const name = ROLE_NAMES[role];
  return name ? phraseText(name) : role;
}

export const kindName = (kind: EventMark['kind']): string => phraseText(KIND_NAMES[kind]);

/** The states of a key event that are only visible by an icon or a style, for screen readers. */
export const stateNames = ({ pinned, status }: Pick<EventMark, 'pinned' | 'status'>): readonly string[] => [
  ...(pinned ? [text('pinned')] : []),
  ...(status === 'superseded' || status === 'merged' ? [text('superseded')] : []),
];

export const queueHeading = (isHeld: boolean): string => text(isHeld ? 'Queued messages (on hold)' : 'Queued messages');
