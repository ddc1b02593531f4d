import * as vscode from 'vscode';
import * as v from 'valibot';
import { decisionsText, recalledText, type Citation, type WorkspaceRecall } from '../../app/workspace-recall.ts';

/** Maximum number of quotes in an answer. */
const MAX_QUOTES = 8;

/** Answers `@threadkeeper` in VS Code's chat with quotes, without a model; `/decisions` lists decisions. */
export async function answerChatRequest(
  workspace: WorkspaceRecall,
  request: Pick<vscode.ChatRequest, 'prompt' | 'command'>,
  stream: Pick<vscode.ChatResponseStream, 'markdown' | 'progress'>,
  token: vscode.CancellationToken,
): Promise<void> {
  const cancelled = (): boolean => token.isCancellationRequested;
  if (request.command === 'decisions') {
    const { memory, decisions } = await workspace.decisions(cancelled);
    if (cancelled()) return;
    if (memory.length + decisions.length === 0)
      stream.markdown(vscode.l10n.t('No decisions in recent sessions, and the workspace memory is empty.'));
    if (memory.length > 0) stream.markdown(heading(vscode.l10n.t('Memory')));
    for (const one of memory) stream.markdown(quote(one));
    if (decisions.length > 0) stream.markdown(heading(vscode.l10n.t('Decisions')));
    for (const one of decisions) stream.markdown(quoteWithSource(one));
    return;
  }
  if (request.prompt.trim() === '') {
    stream.markdown(vscode.l10n.t('Ask about something from your earlier sessions in this workspace.'));
    return;
  }
  stream.progress(vscode.l10n.t('Searching sessions…'));
  const found = await workspace.recall(request.prompt, MAX_QUOTES, cancelled);
  if (found?.length === 0)
    stream.markdown(
      vscode.l10n.t('No results for “{0}” in the sessions and copied chats of this workspace.', request.prompt),
    );
  for (const one of found ?? []) stream.markdown(quoteWithSource(one));
}

/** A quote as Markdown, escaped, and with each line marked, so that none looks like a link or an answer. */
function quote(text: string): vscode.MarkdownString {
  const lines = text.split(/\r\n?|\n/).map((line) => new vscode.MarkdownString('> ').appendText(line).value);
  return new vscode.MarkdownString(lines.join('\n>\n')).appendMarkdown('\n\n');
}

function quoteWithSource({ session, message, text }: Citation): vscode.MarkdownString {
  const place = vscode.l10n.t('Message {0}', message);
  return quote(text)
    .appendText(`— ${session === '' ? place : `${session}, ${place}`}`)
    .appendMarkdown('\n\n');
}

const heading = (text: string): vscode.MarkdownString =>
  new vscode.MarkdownString('**').appendText(text).appendMarkdown('**\n\n');

const recallInput = v.object({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 8),
});

/** A tool for other chats that searches sessions. It asks first: results are sent to the model of that chat. */
export function recallTool(workspace: WorkspaceRecall): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: ({ input }) => {
      const asked = v.safeParse(recallInput, input);
      return {
        invocationMessage: vscode.l10n.t('Searching sessions…'),
        confirmationMessages: {
          title: vscode.l10n.t('Search Sessions'),
          message: vscode.l10n.t(
            'Threadkeeper searches the sessions and the copied chats from other tools of this workspace for “{0}” and sends matching excerpts and their titles to the model of this chat. Recognized API keys and passwords are masked.',
            asked.success ? asked.output.query : '',
          ),
        },
      };
    },
    invoke: async ({ input }, token) => {
      const { query, limit } = v.parse(recallInput, input);
      const found = await workspace.recall(query, limit, () => token.isCancellationRequested);
      return answer(recalledText(found ?? []));
    },
  };
}

/** Lists decisions and the workspace memory, after asking the user like `recallTool`. */
export function decisionsTool(workspace: WorkspaceRecall): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: () => ({
      invocationMessage: vscode.l10n.t('Reading decisions…'),
      confirmationMessages: {
        title: vscode.l10n.t('List Decisions'),
        message: vscode.l10n.t(
          'Threadkeeper sends the decisions of recent sessions and the workspace memory to the model of this chat. Recognized API keys and passwords are masked.',
        ),
      },
    }),
    invoke: async (_options, token) =>
      answer(decisionsText(await workspace.decisions(() => token.isCancellationRequested))),
  };
}

const answer = (text: string): vscode.LanguageModelToolResult =>
  new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
