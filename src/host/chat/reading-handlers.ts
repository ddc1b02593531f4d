import * as vscode from 'vscode';
import { messageText } from '../../core/model/message.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { codeAction } from './code-action.ts';
import { messageIn, notFound, type HandlerDeps } from './handler-deps.ts';
import { openLink, openWorkspaceFile, workspaceFile } from './links.ts';
import { outline } from './outline.ts';

type Reading =
  'loadMessages' | 'outline' | 'recall' | 'openLink' | 'openFile' | 'existingFiles' | 'codeAction' | 'copyMessage';

/** What is read, and where its links and code lead. */
export function readingHandlers(deps: HandlerDeps): Pick<RequestHandlers, Reading> {
  const conversation = () => deps.link().conversation;
  return {
    loadMessages: ({ epoch, from, count }) => Promise.resolve(deps.link().loadMessages(epoch, from, count)),
    outline: ({ buckets }) => Promise.resolve(outline(conversation(), buckets)),
    recall: async ({ query }) => [...(await deps.searchFor(query))],
    openLink: async ({ href }) => {
      await openLink(
        href,
        (position) => deps.link().post({ type: 'reveal', session: conversation().journal.id, position }),
        conversation().state,
      );
      return null;
    },
    openFile: async ({ path, line, column }) => {
      if (!(await openWorkspaceFile(path, line, column)))
        throw notFound(vscode.l10n.t('There is no file {0} in this workspace.', path));
      return null;
    },
    existingFiles: async ({ paths }) => {
      const found = await Promise.all(paths.map(workspaceFile));
      return paths.filter((_, at) => found[at] !== undefined);
    },
    codeAction: async ({ action, text, language }) => {
      await codeAction(action, text, language, deps.editor);
      return null;
    },
    copyMessage: async ({ message }) => {
      await vscode.env.clipboard.writeText(messageText(messageIn(conversation(), message)));
      return null;
    },
  };
}
