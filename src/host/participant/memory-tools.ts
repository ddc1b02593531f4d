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
        invocationMessage: vscode.l10n.t('Searching sessions…'),
        confirmationMessages: {
          title: vscode.l10n.t('Search Session'),
          message: vscode.l10n.t(
            'Threadkeeper searches the sessions of this workspace for “{0}” and sends matching quotes to the model of this chat. API keys and passwords are masked.',
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
      invocationMessage: vscode.l10n.t('Reading decisions…'),
      confirmationMessages: {
        title: vscode.l10n.t('List Decisions'),
        message: vscode.l10n.t(
          'Threadkeeper sends the decisions of recent sessions and the workspace memory to the model of this chat. API keys and passwords are masked.',
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
