import * as vscode from 'vscode';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { messageIn, type HandlerDeps } from './handler-deps.ts';

type Writing = 'send' | 'editAndResend' | 'retry' | 'continue' | 'attach' | 'detach' | 'completeFiles' | 'runCommand';

/** What is written and sent, and what goes with it. */
export function writingHandlers(deps: HandlerDeps): Pick<RequestHandlers, Writing> {
  const conversation = () => deps.link().conversation;
  const session = () => conversation().journal.id;
  const showDraft = (text: string): void => {
    const draft = { text, attachments: deps.attachments.views(session()) };
    deps.link().post({ type: 'draft', draft, focus: false });
  };
  return {
    send: async ({ text, attachments, pasted }) => {
      const taken = deps.attachments.take(attachments);
      showDraft('');
      await conversation().send(text, taken.attachments, taken.images, pasted);
      return null;
    },
    editAndResend: async ({ message, text }) => {
      await conversation().editAndResend(message, text);
      return null;
    },
    retry: async ({ message }) => {
      const { role, parent, id } = messageIn(conversation(), message);
      const at = role === 'assistant' ? parent : id;
      if (at !== null) await conversation().retry(at);
      return null;
    },
    continue: async () => {
      await conversation().send(vscode.l10n.t('Continue where you stopped.'));
      return null;
    },
    attach: async ({ what }) => {
      const view = await deps.attachments.add(session(), what, conversation().counter);
      showDraft(deps.drafts.get(session()));
      return view;
    },
    detach: ({ id }) => {
      deps.attachments.remove(id);
      showDraft(deps.drafts.get(session()));
      return Promise.resolve(null);
    },
    completeFiles: async ({ query }) => {
      const files = await vscode.workspace.findFiles(`**/*${globSafe(query)}*`, '**/node_modules/**', 20);
      return files.map((uri) => {
        const path = vscode.workspace.asRelativePath(uri);
        return { path, name: path.slice(path.lastIndexOf('/') + 1) };
      });
    },
    runCommand: ({ command, argument }) => deps.runCommand(command, argument),
  };
}

const globSafe = (query: string): string => query.replace(/[*?{}[\]!]/g, '');
