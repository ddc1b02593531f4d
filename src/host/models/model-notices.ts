import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Clock, Log } from '../../app/ports.ts';
import { UNKNOWN_CONTEXT_WINDOW } from '../../core/tokens/model-info.ts';
import { faultView, notificationText } from '../platform/fault-view.ts';
import { dateText, countText, tokensText } from '../platform/l10n.ts';
import { showInfoWithAction } from '../platform/notifications.ts';
import { readSettings, updateSetting } from '../platform/settings.ts';
import type { ChosenModel, Models } from './models.ts';

/** How long before a model's retirement a warning is shown, in ms. */
const WARN_MS = 30 * 86_400_000;

/** A notice that a model's context window is only assumed; undefined if it's known. */
export function assumedContextWindowText(models: Pick<Models, 'info'>, chosen: ChosenModel): string | undefined {
  const isKnown = chosen.provider === 'vscode' || chosen.model === '' || models.info(chosen).known;
  if (isKnown || readSettings().chat.contextWindow !== null) return undefined;
  const tokens = tokensText(UNKNOWN_CONTEXT_WINDOW);
  return vscode.l10n.t('The context window of {0} is unknown. Assuming {1}.', chosen.model, tokens);
}

/** The source of the context window; undefined for the model data. `read`: maximum tokens that the server reads. */
export function contextWindowSourceText(
  models: Pick<Models, 'info'>,
  chosen: ChosenModel,
  read: number,
): string | undefined {
  const { contextWindow } = readSettings().chat;
  if (read < (contextWindow ?? models.info(chosen).contextWindow))
    return vscode.l10n.t(
      'The server reads at most {0}. If that has changed, select the model again.',
      tokensText(read),
    );
  if (contextWindow === null) return assumedContextWindowText(models, chosen);
  return vscode.l10n.t('Context window set in threadkeeper.chat.contextWindow: {0}.', tokensText(contextWindow));
}

interface NoticesDeps {
  readonly models: Models;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a function that notifies the user about problems of a conversation's model, each once per window. */
export function modelNotices({ models, clock, log }: NoticesDeps) {
  const reported = new Set<string>();
  const isNew = (notice: string): boolean => {
    const isKnown = reported.has(notice);
    reported.add(notice);
    return !isKnown;
  };
  return (conversation: Conversation, chosen: () => ChosenModel): void => {
    conversation.onUpdate((update) => {
      if (update.type === 'truncated') {
        const { model, sent, read } = update;
        if (isNew(`truncated ${model} ${read}`)) void vscode.window.showWarningMessage(truncatedText(sent, read));
      } else if (update.type === 'reply_started')
        check(models, chosen(), clock.now(), isNew).catch((error: unknown) => {
          log.warn(`A notice about the model failed: ${String(error)}`);
          void vscode.window.showErrorMessage(notificationText(faultView(error)));
        });
    });
  };
}

async function check(
  models: Models,
  chosen: ChosenModel,
  now: number,
  isNew: (notice: string) => boolean,
): Promise<void> {
  const { provider, model } = chosen;
  if (provider === 'local' || provider === 'vscode' || model === '') return;
  const { retires } = models.info(chosen);
  const assumed = assumedContextWindowText(models, chosen);
  if (assumed !== undefined && isNew(`unknown ${model}`))
    await showInfoWithAction(assumed, vscode.l10n.t('Set Context Window…'), () => askForContextWindow(model));
  if (!retires || !(Date.parse(retires.on) - now < WARN_MS) || !isNew(`retires ${model}`)) return;
  const day = dateText(Date.parse(retires.on), 'UTC');
  const choose = vscode.l10n.t('Select Model…');
  const text =
    retires.successor === undefined
      ? vscode.l10n.t('Retirement date of {0}: {1}. Select another model.', model, day)
      : vscode.l10n.t('Retirement date of {0}: {1}. The provider recommends {2}.', model, day, retires.successor);
  if ((await vscode.window.showWarningMessage(text, choose)) === choose)
    await vscode.commands.executeCommand('threadkeeper.chooseModel');
}

const truncatedText = (sent: number, read: number): string =>
  vscode.l10n.t(
    'The server read only {0} of {1} and dropped the beginning. From now on, requests are limited to what it reads.',
    countText(read),
    tokensText(sent),
  );

/** Asks for a model's context window and stores the answer in the user's settings. */
export async function askForContextWindow(model: string): Promise<void> {
  const answer = await vscode.window.showInputBox({
    title: vscode.l10n.t('Context Window of {0} (Tokens)', model),
    value: String(UNKNOWN_CONTEXT_WINDOW),
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^\d+$/.test(value.trim()) && Number(value) >= 1024
        ? undefined
        : vscode.l10n.t('Enter an integer of at least 1024.'),
  });
  if (answer === undefined) return;
  const configuration = vscode.workspace.getConfiguration('threadkeeper.models');
  // The effective value would include the workspace's overrides.
  const overrides = configuration.inspect<Record<string, object>>('overrides')?.globalValue ?? {};
  const override = { ...overrides[model], contextWindow: Number(answer) };
  await updateSetting('models.overrides', { ...overrides, [model]: override });
}
