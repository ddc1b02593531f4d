import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { UNKNOWN_CONTEXT_WINDOW } from '../../core/tokens/model-info.ts';
import { faultView, notificationText } from '../platform/fault-view.ts';
import { locale, tokensText } from '../platform/l10n.ts';
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

/** Notifies the user about problems of a model before they matter, each once per window. */
export class ModelNotices {
  readonly #models: Models;
  readonly #now: () => number;
  readonly #warn: (message: string) => void;
  readonly #reported = new Set<string>();

  /** @param now milliseconds since the epoch */
  constructor(models: Models, now: () => number, warn: (message: string) => void) {
    this.#models = models;
    this.#now = now;
    this.#warn = warn;
  }

  watch(conversation: Conversation, chosen: () => ChosenModel): void {
    conversation.onUpdate((update) => {
      if (update.type === 'truncated') this.#truncated(update.model, update.sent, update.read);
      else if (update.type === 'reply_started')
        this.check(chosen()).catch((error: unknown) => {
          this.#warn(`A notice about the model failed: ${String(error)}`);
          void vscode.window.showErrorMessage(notificationText(faultView(error)));
        });
    });
  }

  async check(chosen: ChosenModel): Promise<void> {
    const { provider, model } = chosen;
    if (provider === 'local' || provider === 'vscode' || model === '') return;
    const { retires } = this.#models.info(chosen);
    const assumed = assumedContextWindowText(this.#models, chosen);
    if (assumed !== undefined && this.#isNew(`unknown ${model}`))
      await showInfoWithAction(assumed, vscode.l10n.t('Set Context Window…'), () => askForContextWindow(model));
    if (retires && Date.parse(retires.on) - this.#now() < WARN_MS && this.#isNew(`retires ${model}`)) {
      const day = new Date(retires.on).toLocaleDateString(locale(), { timeZone: 'UTC' });
      const choose = vscode.l10n.t('Select Model…');
      const text =
        retires.successor === undefined
          ? vscode.l10n.t('Retirement date of {0}: {1}. Select another model.', model, day)
          : vscode.l10n.t('Retirement date of {0}: {1}. The provider recommends {2}.', model, day, retires.successor);
      if ((await vscode.window.showWarningMessage(text, choose)) === choose)
        await vscode.commands.executeCommand('threadkeeper.chooseModel');
    }
  }

  #truncated(model: string, sent: number, read: number): void {
    if (!this.#isNew(`truncated ${model} ${read}`)) return;
    const text = vscode.l10n.t(
      'The server read only {0} of {1} and dropped the beginning. From now on, requests are limited to what it reads.',
      read.toLocaleString(locale()),
      tokensText(sent),
    );
    void vscode.window.showWarningMessage(text);
  }

  #isNew(notice: string): boolean {
    const isNew = !this.#reported.has(notice);
    this.#reported.add(notice);
    return isNew;
  }
}

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
