import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { countText } from '../platform/l10n.ts';
import type { Compared } from './comparison.ts';
import { COMMAND } from '../platform/ids.ts';
import { chosenChatModel, chosenSummaryModel, type ChosenModel } from '../models/models.ts';
import type { SummariesApp } from './summaries-app.ts';
import { readSettings } from '../platform/settings.ts';
import { cancellable } from '../platform/cancellable.ts';
import { inform, offer } from '../platform/inform.ts';
import { providerItems } from '../models/model-items.ts';
import { pickModel } from '../models/model-picker.ts';

/** Shows a summary beside its source and marks what the source does not contain. */
export async function compareSummary(app: SummariesApp, { state }: Conversation, node: SummaryNode): Promise<void> {
  tell(node, await app.comparison.open(state, node));
}

function tell(node: SummaryNode, { statements, unsupported, reader }: Compared): void {
  const [all, wrong] = [countText(statements), countText(unsupported)];
  if (reader !== undefined) {
    inform(vscode.l10n.t('Statements not supported by the source: {1} of {0} (checked by {2}).', all, wrong, reader));
    return;
  }
  const check = vscode.l10n.t('Verify with a Model…');
  const text = vscode.l10n.t('Statements with terms that don’t appear in the source: {1} of {0}.', all, wrong);
  // Nobody waits for the answer: the command has done what it was called for.
  void offer(text, check, () => vscode.commands.executeCommand(COMMAND.checkSummary, { kind: 'node', node: node.id }));
}

/** Has a model of the user's choice check a summary against its source, and shows both. */
export async function checkSummary(app: SummariesApp, conversation: Conversation, node: SummaryNode): Promise<void> {
  // The session may be another one when the model has been picked.
  const open = await app.current();
  const chosen = await pickReader(app, conversation);
  if (!chosen) return;
  const title = vscode.l10n.t('Verifying summary with {0}…', app.models.label(chosen));
  const check = await cancellable(title, (signal) => open.checkSummary(node.id, chosen, signal));
  const checked = conversation.state.nodes.get(node.id);
  if (check && checked) tell(checked, await app.comparison.open(conversation.state, checked, check.level));
}

/** The summarizer of the settings, where it is a model, or another one. */
async function pickReader(app: SummariesApp, { state }: Conversation): Promise<ChosenModel | undefined> {
  const settings = readSettings();
  const summarizer = chosenSummaryModel(settings, chosenChatModel(settings, state));
  if (summarizer.provider !== 'local') {
    const same = { label: app.models.label(summarizer), description: vscode.l10n.t('the configured summarizer') };
    const other = { label: vscode.l10n.t('Other…') };
    const title = vscode.l10n.t('Select a model to verify this summary');
    const picked = await vscode.window.showQuickPick([same, other], { title });
    if (picked !== other) return picked && summarizer;
  }
  const models = providerItems(app).then((items) => items.filter(({ provider }) => provider !== 'local'));
  return pickModel(app, models, vscode.l10n.t('Select a model to verify this summary'));
}
