import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { ChosenModel } from '../models/models.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import type { SummariesApp } from './summaries-app.ts';
import { locale } from '../platform/l10n.ts';
import { cancellable } from '../platform/cancellable.ts';
import { inform } from '../platform/inform.ts';
import { providerItems } from '../models/model-items.ts';
import { pickModel } from '../models/model-picker.ts';

/** Asks in which way a summary shall be written anew, and has it written. */
export async function resummarize(app: SummariesApp, _: Conversation, node: SummaryNode): Promise<void> {
  const items = [
    { label: vscode.l10n.t('With the configured summarizer'), way: 'same' },
    { label: vscode.l10n.t('With another model…'), way: 'model' },
    { label: vscode.l10n.t('With custom instructions…'), way: 'instructions' },
    { label: vscode.l10n.t('At the full detail level'), way: 'finer' },
  ] as const;
  const picked = await vscode.window.showQuickPick(items, { title: node.title });
  switch (picked?.way) {
    case undefined:
      return;
    case 'same':
      return make(app, { node: node.id });
    case 'finer':
      return make(app, { node: node.id, finer: true });
    case 'model': {
      const chosen = await pickModel(app, providerItems(app), vscode.l10n.t('Select a model to write this summary'));
      if (chosen) await make(app, { node: node.id }, chosen);
      return;
    }
    case 'instructions': {
      const prompt = vscode.l10n.t('What should this summary include or omit?');
      const instructions = await vscode.window.showInputBox({ title: node.title, prompt });
      if (instructions !== undefined && instructions.trim() !== '') await make(app, { node: node.id, instructions });
      return;
    }
  }
}

export async function make(
  app: SummariesApp,
  wanted: Parameters<OpenConversation['resummarize']>[0],
  chosen?: ChosenModel,
): Promise<void> {
  const { resummarize: makeAnew } = await app.current();
  const made = await cancellable(vscode.l10n.t('Regenerating summary…'), (signal) => makeAnew(wanted, chosen, signal));
  if (!made) return;
  inform(
    vscode.l10n.t(
      'Summary regenerated ({0} tokens).',
      (made.tokens.full ?? made.tokens.detailed).toLocaleString(locale()),
    ),
  );
}
