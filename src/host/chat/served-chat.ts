import type { LastEditor } from './last-editor.ts';
import type { ChatApp } from './chat-app.ts';
import { readSettings } from '../platform/settings.ts';
import type { ModelsApp } from '../models/models.ts';
import type { ChatPanelDeps } from './chat-panel.ts';
import type { PageLink } from './page-link.ts';

interface Service {
  /** The link to the current session. Throws when there is none. */
  readonly link: () => PageLink;
  readonly editor: LastEditor;
  readonly warn: (message: string) => void;
}

/** What the chat's page is served with: the current session, and what its requests do. */
export function servedChat(app: ChatApp & ModelsApp, { link, editor, warn }: Service): ChatPanelDeps {
  const { sessions, drafts, extensionUri } = app;
  return {
    extensionUri,
    place: () => readSettings().chat.location,
    link: async () => {
      await sessions.currentOrLatest();
      return link();
    },
    handlers: async () => (await import('./page-requests.ts')).pageRequests(app, link, editor),
    describe: (error) => app.describe(error),
    stop: () => sessions.current?.stop(),
    setDraft: (session, text) => drafts.set(session, text),
    warn,
  };
}
