import type { SessionStore } from '../../app/ports.ts';
import { WorkspaceRecall, type WorkspaceRecallDeps } from '../../app/workspace-recall.ts';
import type { SearchRequest, WorkspaceSearch } from '../../app/workspace-search.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { readStoredSession } from '../../storage/session-store.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import type { HostApp } from '../platform/host-app.ts';
import type { OpenConversations } from '../sessions/open-conversations.ts';

interface HistoryApp extends Pick<HostApp, 'clock' | 'folder' | 'workspace'> {
  readonly store: Pick<SessionStore, 'list'>;
  /** Open sessions are used as they are in memory. */
  readonly openConversations: OpenConversations;
  readonly memory: WorkspaceMemory;
  readonly searchChats: WorkspaceRecallDeps['searchChats'];
  /** Logs why sessions or chats can't be read. The others are used nevertheless. */
  describe(error: unknown): unknown;
}

/** Read access to all sessions of a workspace, for the search and for VS Code's own chat. */
export function workspaceHistory(app: HistoryApp) {
  const { store, folder, clock, workspace, openConversations, memory } = app;
  const list = async (): ReturnType<SessionStore['list']> =>
    (await store.list()).filter((one) => one.workspace === workspace && !one.deleted);
  /** A session's state; undefined if it doesn't exist anymore. */
  const read = async (id: SessionId) =>
    openConversations.get(id)?.conversation.state ?? (await readStoredSession(folder, id, clock.yielder))?.state;
  const readOrSkip: typeof read = (id) =>
    read(id).catch((error: unknown) => {
      app.describe(error);
      return undefined;
    });
  let loaded: Promise<WorkspaceSearch> | undefined;
  /** The best results in all sessions of the workspace; undefined if canceled. */
  const search = async (run: SearchRequest) => {
    // The code is only loaded for the first search.
    loaded ??= import('../../app/workspace-search.ts').then(
      ({ WorkspaceSearch }) => new WorkspaceSearch({ clock, list, read: readOrSkip }),
    );
    return (await loaded).search(run);
  };
  const recall = new WorkspaceRecall({
    search,
    searchChats: (query, limit) =>
      app.searchChats(query, limit).catch((error: unknown) => {
        app.describe(error);
        return [];
      }),
    list: async () => [...(await list())].sort((a, b) => b.updatedAt - a.updatedAt),
    read: readOrSkip,
    memory: async () => {
      await memory.load();
      return memory.entries;
    },
  });
  return { recall, read, search };
}
