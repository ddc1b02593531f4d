import * as v from 'valibot';
import * as vscode from 'vscode';
import { decisionsText, recalledText, type SessionArchive } from '../../app/session-archive.ts';

const recallInput = v.object({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 8),
});

/** Finds what was said. The user is asked first: what is found goes to the model of the chat that asks. */
export function recallTool(archive: SessionArchive): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: ({ input }) => {
      const asked = v.safeParse(recallInput, input);
      return {
        invocationMessage: vscode.l10n.t('Searching the sessions'),
        confirmationMessages: {
          title: vscode.l10n.t('Search What Was Said'),
          message: vscode.l10n.t(
            'Threadkeeper searches this workspace’s sessions for “{0}” and gives the quotes that it finds to the model of this chat. Keys and passwords in them are masked.',
            asked.success ? asked.output.query : '',
          ),
        },
      };
    },
    invoke: async ({ input }, token) => {
      const { query, limit } = v.parse(recallInput, input);
      const found = await archive.recall(query, limit, () => token.isCancellationRequested);
      return answer(recalledText(found ?? []));
    },
  };
}

/** Lists what was decided and what the user keeps for all sessions, after asking as `recallTool` does. */
export function decisionsTool(archive: SessionArchive): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: () => ({
      invocationMessage: vscode.l10n.t('Reading the decisions'),
      confirmationMessages: {
        title: vscode.l10n.t('List the Decisions'),
        message: vscode.l10n.t(
          'Threadkeeper gives the decisions of this workspace’s newest sessions and the workspace’s memory to the model of this chat. Keys and passwords in them are masked.',
        ),
      },
    }),
    invoke: async (_options, token) => {
      return answer(decisionsText(await archive.decisions(() => token.isCancellationRequested)));
    },
  };
}

const answer = (text: string): vscode.LanguageModelToolResult =>
  new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
