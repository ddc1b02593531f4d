import type { RequestHandlers } from '../../protocol/requests.ts';
import type { HandlerDeps } from './handler-deps.ts';

type OfSessions =
  | 'setTask'
  | 'stepTask'
  | 'switchSession'
  | 'renameSession'
  | 'pinSession'
  | 'archiveSession'
  | 'deleteSession'
  | 'undoDeleteSession';

/** The list of sessions, and the task of the current one. */
export function sessionHandlers(deps: HandlerDeps): Pick<RequestHandlers, OfSessions> {
  const conversation = () => deps.link().conversation;
  return {
    setTask: async ({ goal, steps }) => {
      await conversation().setTask(goal, steps);
      return null;
    },
    stepTask: async ({ step, status }) => {
      await conversation().journal.append({ type: 'task_step', step, status });
      return null;
    },
    switchSession: async ({ session }) => {
      await deps.sessions.open(session);
      return null;
    },
    renameSession: async ({ session, title }) => {
      await deps.changeSession(session, { type: 'session_renamed', title });
      return null;
    },
    pinSession: async ({ session, pinned }) => {
      await deps.changeSession(session, { type: 'session_pinned', pinned });
      return null;
    },
    archiveSession: async ({ session, archived }) => {
      await deps.changeSession(session, { type: 'session_archived', archived });
      return null;
    },
    deleteSession: async ({ session }) => {
      await deps.changeSession(session, { type: 'session_deleted', deleted: true });
      return null;
    },
    undoDeleteSession: async ({ session }) => {
      await deps.changeSession(session, { type: 'session_deleted', deleted: false });
      return null;
    },
  };
}
