import * as vscode from 'vscode';
import { taskId, type SessionId } from '../../core/model/ids.ts';
import type { Step } from '../../core/model/task.ts';
import type { Conversation } from '../../app/conversation.ts';
import { RequestFault } from '../../protocol/faults.ts';
import { changeSession } from '../platform/session-changes.ts';
import type { ChatApp } from './chat-app.ts';
import { wholeLines } from './read-context.ts';
import { shortLine } from '../platform/l10n.ts';
import { showInfo } from '../platform/notifications.ts';
import { isChatInSidebar, updateSetting } from '../platform/settings.ts';
import { relativePath } from '../platform/workspace-files.ts';

/** Number of lines of code before and after a problem to attach. */
const LINES_AROUND = 12;

/** Attaches the selection in the editor and focuses the chat. Throws `RequestFault` if nothing is selected. */
export async function askAboutSelection(conversation: Conversation, _: unknown, app: ChatApp): Promise<void> {
  await app.attachments.add(conversation, { kind: 'selection' });
  showInComposer(app, conversation.journal.id, '');
}

/** Attaches files from the Explorer or an editor's tab, all or none. Throws `RequestFault` if one can't be added. */
export async function attachFiles(app: ChatApp, target: unknown, targets: unknown): Promise<void> {
  const candidates = Array.isArray(targets) ? targets : [target ?? vscode.window.activeTextEditor?.document.uri];
  const files = candidates.filter((one) => one instanceof vscode.Uri);
  if (files.length === 0) throw invalid(vscode.l10n.t('Open a file first.'));
  const conversation = await app.sessions.currentOrLatest();
  await app.attachments.add(conversation, ...files.map((uri) => ({ kind: 'uri', uri: String(uri) }) as const));
  showInComposer(app, conversation.journal.id, '');
}

/** The argument of a problem's *Explain* action. */
interface Problem {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly message: string;
}

/** Attaches a problem, by default the cursor's, with code around it, and drafts a question. Throws `RequestFault`. */
export async function explainProblem(app: ChatApp, argument: unknown): Promise<void> {
  const problem = isProblem(argument) ? argument : problemAtCursor();
  if (!problem) throw invalid(vscode.l10n.t('There are no problems on this line.'));
  const conversation = await app.sessions.currentOrLatest();
  const document = await vscode.workspace.openTextDocument(problem.uri);
  const { start, end } = problem.range;
  await app.attachments.addAll(conversation, wholeLines(document, start.line - LINES_AROUND, end.line + LINES_AROUND));
  const name = relativePath(problem.uri);
  const question = vscode.l10n.t(
    'Explain this problem in {0} and how to fix it:\n\n> {1}',
    `\`${name}:${start.line + 1}\``,
    problem.message.replaceAll('\n', '\n> '),
  );
  showInComposer(app, conversation.journal.id, question);
}

/** Provides the quick fix *Explain with Threadkeeper*. */
export const explainActions: vscode.CodeActionProvider = {
  provideCodeActions: ({ uri }, _range, { diagnostics }) =>
    diagnostics.map((diagnostic) => {
      const { range, message } = diagnostic;
      const title = vscode.l10n.t('Explain with Threadkeeper: {0}', shortLine(message.split('\n', 1)[0]!, 80));
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      const problem: Problem = { uri, range, message };
      action.command = { command: 'threadkeeper.explainProblem', title, arguments: [problem] };
      action.diagnostics = [diagnostic];
      return action;
    }),
};

/** Opens the next (1) or previous (-1) session of the list. */
export async function openAdjacentSession(app: ChatApp, step: 1 | -1): Promise<void> {
  const current = (await app.sessions.currentOrLatest()).journal.id;
  const sessions = (await app.sessions.list()).filter((one) => !one.archived || one.id === current);
  const next = sessions[sessions.findIndex((one) => one.id === current) + step];
  if (next) await app.sessions.open(next.id);
  // In a visible chat, the composer is focused directly. Focusing the chat first would briefly take the focus away.
  if (app.panel.isVisible) app.panel.post({ type: 'focus', target: 'composer' });
  else app.panel.open();
}

export async function moveChat(app: ChatApp, location: 'editor' | 'sidebar'): Promise<void> {
  await app.sessions.currentOrLatest();
  const configuration = vscode.workspace.getConfiguration('threadkeeper.chat');
  // Change the user's setting, unless the workspace has one, which would override it.
  const target =
    configuration.inspect('location')?.workspaceValue === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  await updateSetting('chat.location', location, target);
  app.panel.open();
}

/** Moves the chat to a new window, where the page requests everything again. */
export async function moveToNewWindow(app: ChatApp): Promise<void> {
  if (isChatInSidebar()) await moveChat(app, 'editor');
  await app.sessions.currentOrLatest();
  app.panel.open();
  await vscode.commands.executeCommand('workbench.action.moveEditorToNewWindow');
}

/** Sets the task as typed after `/task`, as `goal; step; step`; without text, asks for it. */
export async function setTask(conversation: Conversation, argument: unknown, app: TasksApp): Promise<void> {
  const typed = typeof argument === 'string' ? argument.trim() : '';
  const text = typed === '' ? await askForTask(conversation.state.task?.goal ?? '') : typed;
  const parts = (text ?? '').split(';').map((part) => part.trim());
  const [goal, ...steps] = parts.filter((part) => part !== '');
  if (goal === undefined) return;
  const pending = steps.map((step) => ({ text: step, status: 'pending' }) as const);
  await setTaskOf(app, conversation.journal.id, goal, pending);
}

type TasksApp = Pick<ChatApp, 'sessions' | 'store' | 'clock'>;

/** Sets the task of a session, even if another one is shown by now. */
export async function setTaskOf(app: TasksApp, id: SessionId, goal: string, steps: readonly Step[]): Promise<void> {
  const { current } = app.sessions;
  if (current?.journal.id === id) await current.setTask(goal, steps);
  else await changeSession(app, id, { type: 'task_set', task: { id: taskId(app.clock.id()), goal, steps } });
}

const askForTask = (goal: string): Thenable<string | undefined> =>
  vscode.window.showInputBox({
    title: vscode.l10n.t('Set Task'),
    prompt: vscode.l10n.t(
      'Enter a goal and optional steps, separated by semicolons. This replaces the current task and its steps.',
    ),
    value: goal,
    ignoreFocusOut: true,
  });

/** Ends the task; while a reply is streaming, at its end. Even without a task, a long history may be compressed. */
export async function resetTask(conversation: Conversation): Promise<void> {
  const { task } = conversation.state;
  if (task || !conversation.isReplying) await conversation.resetTask();
  if (task && conversation.isReplying) return;
  showInfo(
    task ? vscode.l10n.t('Task ended. Any open steps were skipped.') : vscode.l10n.t('There is no task to end.'),
  );
}

/** Focuses the chat and appends `question` to the text in the composer. */
export function showInComposer(
  app: Pick<ChatApp, 'attachments' | 'drafts' | 'panel'>,
  session: SessionId,
  question: string,
): void {
  const before = app.drafts.get(session);
  const text = question === '' || before === '' ? before + question : `${before}\n\n${question}`;
  app.drafts.set(session, text);
  app.panel.open();
  const draft = { text, attachments: app.attachments.views(session) };
  app.panel.post({ type: 'draft', session, draft, focus: question !== '' });
}

function problemAtCursor(): Problem | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const problem = vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ range }) => range.start.line <= selection.active.line && selection.active.line <= range.end.line)
    .sort((a, b) => a.severity - b.severity)[0];
  return problem && { uri: document.uri, range: problem.range, message: problem.message };
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null || !('uri' in value) || !('range' in value)) return false;
  return value.uri instanceof vscode.Uri && value.range instanceof vscode.Range;
}

/** The conversation. Throws `RequestFault` if it isn't that of the session for which the page requested something. */
export function requireSession<T extends Pick<Conversation, 'journal'>>(conversation: T, session: string): T {
  if (conversation.journal.id === session) return conversation;
  throw new RequestFault('elsewhere', vscode.l10n.t('Not done: another session was opened.'));
}

const invalid = (text: string): RequestFault => new RequestFault('invalid', text);
