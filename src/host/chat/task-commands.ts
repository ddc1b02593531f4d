import * as vscode from 'vscode';
import type { Step } from '../../core/model/task.ts';
import { inform } from '../platform/inform.ts';
import type { ChatApp } from './chat-app.ts';

/** `goal; step; step` */
function parseTask(text: string): [goal: string, steps: Step[]] {
  const [goal = '', ...steps] = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [goal, steps.map((step) => ({ text: step, status: 'pending' }))];
}

/** Sets the task as typed behind `/task`; without a text the user is asked for it. */
export async function setTask(app: ChatApp, typed = ''): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const text = typed.trim() === '' ? await askForTask(conversation.state.task?.goal ?? '') : typed;
  if (text !== undefined && text.trim() !== '') await conversation.setTask(...parseTask(text));
}

async function askForTask(goal: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Set Task'),
    prompt: vscode.l10n.t(
      'Enter a goal and optional steps, separated by semicolons. This replaces the current task and its steps.',
    ),
    value: goal,
  });
}

/** Ends the task; while a reply arrives, when it has ended, which the page shows. A long history is compressed with or without one. */
export async function resetTask(app: ChatApp): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const { task } = conversation.state;
  if (task || !conversation.isReplying) await conversation.resetTask();
  if (task && conversation.isReplying) return;
  inform(task ? vscode.l10n.t('Task ended. Any open steps were skipped.') : vscode.l10n.t('There is no task to end.'));
}
