import { changeSession } from '../sessions/session-changes.ts';
import type { LastEditor } from './last-editor.ts';
import type { ChatApp } from './chat-app.ts';
import { readSettings } from '../platform/settings.ts';
import type { ChatPanelDeps } from './chat-panel.ts';
import type { PageLink } from './page-link.ts';

interface Service {
  /** The link to the current session. Throws when there is none. */
  readonly link: () => PageLink;
  readonly editor: LastEditor;
  readonly warn: (message: string) => void;
}

/** What the chat's page is served with: the current session, and what its requests do. */
export function servedChat(app: ChatApp, { link, editor, warn }: Service): ChatPanelDeps {
  const { sessions, drafts, attachments, extensionUri } = app;
  return {
    extensionUri,
    place: () => readSettings().chat.place,
    link: async () => {
      await sessions.currentOrLatest();
      return link();
    },
    handlers: async () => {
      const { pageHandlers } = await import('./page-handlers.ts');
      return pageHandlers({
        link,
        sessions,
        attachments,
        drafts,
        editor,
        runCommand: (command, argument) => app.runCommand(command, argument),
        costAhead: (nodes) => app.costAhead(nodes),
        searchFor: (query) => app.search(query),
        changeSession: (id, event) => changeSession(app, id, event),
        newId: () => app.clock.id(),
      });
    },
    describe: (error) => app.describe(error),
    stop: () => sessions.current?.stop(),
    setDraft: (session, text) => drafts.set(session, text),
    dismissNotice: () => undefined,
    warn,
  };
}
