import type { EventMark } from '../protocol/views.ts';
import { text } from './texts.ts';

const ROLE_NAMES: Readonly<Record<string, () => string>> = {
  user: () => text('You'),
  assistant: () => text('Assistant'),
  system: () => text('System'),
  tool: () => text('Tool'),
};

/** The name of a message's role. */
export const roleName = (role: string): string => ROLE_NAMES[role]?.() ?? role;

const KIND_NAMES: Readonly<Record<EventMark['kind'], () => string>> = {
  decision: () => text('Decision'),
  error: () => text('Error'),
  preference: () => text('Preference'),
  constraint: () => text('Constraint'),
  configuration: () => text('Configuration'),
  fact: () => text('Fact'),
  todo: () => text('To-do'),
  outcome: () => text('Outcome'),
};

/** The name of a kind of key event, as in the extension host. */
export const kindName = (kind: EventMark['kind']): string => KIND_NAMES[kind]();

/** The states of a key event that are only visible by an icon or a style, for screen readers. */
export const stateNames = ({ pinned, status }: Pick<EventMark, 'pinned' | 'status'>): readonly string[] => [
  ...(pinned ? [text('pinned')] : []),
  ...(status === 'superseded' || status === 'merged' ? [text('superseded')] : []),
];
