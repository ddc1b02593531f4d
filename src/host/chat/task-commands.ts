import * as vscode from 'vscode';
import type { Step } from '../../core/model/task.ts';
import type { Product } from '../product.ts';

/** `goal; step; step` */
export function parseTask(text: string): [goal: string, steps: Step[]] {
  const [goal = '', ...steps] = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [goal, steps.map((step) => ({ text: step, status: 'pending' }))];
}

/** Asks for the goal and its steps. */
export async function setTask(app: Product): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const goal = await vscode.window.showInputBox({
    title: vscode.l10n.t('Set Task'),
    prompt: vscode.l10n.t('What are you working on? Steps may follow, separated by semicolons.'),
    value: conversation.state.task?.goal ?? '',
  });
  if (goal === undefined || goal.trim() === '') return;
  await conversation.setTask(...parseTask(goal));
}
