import * as v from 'valibot';
import * as vscode from 'vscode';
import { compileRule, type CompiledRule, type RuleResult } from '../../core/events/user-rules.ts';
import { withoutUndefined } from '../../core/text/json-value.ts';
import { checkPrompt } from '../../core/prompts/render-prompts.ts';
import {
  POLICY_NAMES,
  PolicyError,
  resolvePolicy,
  type Policy,
  type PolicyName,
  type Triggers,
} from '../../core/policy/policy.ts';
import { errorMessage } from '../../core/text/error-details.ts';
import type { CallTimeouts } from '../../providers/watched-call.ts';
import { translated } from './l10n.ts';
import { SETTING_NAMES, settingsSchema, type Settings } from './settings-schema.ts';

/** An invalid setting, with a message for the user. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** The setting, such as `chat.provider`. */
  readonly setting: string;
  /** The setting and the position in its list, without the user's text, which `message` may contain. */
  readonly place: string;

  /** @param index of the invalid item in the setting's list */
  constructor(message: string, setting: string, index?: number) {
    super(message);
    this.setting = setting;
    this.place = `threadkeeper.${setting}${index === undefined ? '' : `, item ${index + 1}`}`;
  }
}

const RULES = 'keyEvents.rules';
const PROMPT = 'summarizer.prompt';

/** Finds the policy's settings in the Settings editor, which hides settings tagged `advanced` otherwise. */
export const POLICY_QUERY = '@tag:advanced threadkeeper.compression';

/** The query for the Settings editor that finds an invalid setting, if any, or else all settings. */
export async function settingsQuery(): Promise<string> {
  try {
    await checkSettings();
    return '@ext:threadkeeper.threadkeeper';
  } catch (error) {
    if (error instanceof SettingsError) return `@id:threadkeeper.${error.setting}`;
    if (error instanceof PolicyError) return POLICY_QUERY;
    throw error;
  }
}

/** Rejects with `SettingsError` or `PolicyError` if a setting is invalid. */
export async function checkSettings(): Promise<void> {
  const settings = validSettings();
  promptText(settings);
  for (const [index, result] of (await compiledRules(settings)).entries())
    if (!result.ok)
      throw new SettingsError(
        vscode.l10n.t('Invalid rule {0} in threadkeeper.keyEvents.rules: {1}.', index + 1, translated(result.problem)),
        RULES,
        index,
      );
  policyOf(settings);
}

let lastValid: Settings | undefined;

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function configuredSections(): Sections {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  return Object.fromEntries(
    Object.keys(settingsSchema.entries).map((name) => [name, configuration.get<Sections[string]>(name, {})]),
  );
}

/** The current settings, for what calls a model. Throws `SettingsError` for the first invalid one. */
export function validSettings(): Settings {
  const result = v.safeParse(settingsSchema, configuredSections());
  if (result.success) return (lastValid = result.output);
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? '';
  const item = issue.path?.[2]?.key;
  throw new SettingsError(
    vscode.l10n.t('Invalid value for threadkeeper.{0}: {1}.', path, problemOf(issue)),
    path.split('.', 2).join('.'),
    typeof item === 'number' ? item : undefined,
  );
}

/**
 * The current settings. An invalid one has its last valid value, or else its default, so that sessions can be read and
 * no reply or cost is lost.
 */
export function readSettings(): Settings {
  const sections = { ...configuredSections() };
  const result = v.safeParse(settingsSchema, sections);
  if (result.success) return (lastValid = result.output);
  const valid: Sections | undefined = lastValid;
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  for (const { path = [] } of result.issues) {
    const [section = '', name = ''] = path.map(({ key }) => String(key));
    const value = valid ? valid[section]?.[name] : configuration.inspect(`${section}.${name}`)?.defaultValue;
    sections[section] = { ...sections[section], [name]: value };
  }
  return v.parse(settingsSchema, sections);
}

/** Whether the chat is in the Side Bar. Never throws: if a setting is invalid, the chat must open to say so. */
export function isChatInSidebar(): boolean {
  return vscode.workspace.getConfiguration('threadkeeper').get('chat.location') === 'sidebar';
}

export function callTimeouts(): Required<CallTimeouts> {
  const { firstTokenTimeout, silenceTimeout } = readSettings().chat;
  return { firstTokenMs: firstTokenTimeout * 1000, silenceMs: silenceTimeout * 1000 };
}

/** Whether a setting, such as `chat.provider`, is set explicitly, even to its default. */
export function isSet(name: string): boolean {
  const found = vscode.workspace.getConfiguration('threadkeeper').inspect(name);
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
}

/** Why a value is invalid, in the display language. */
function problemOf({ type, requirement, expected }: v.BaseIssue<unknown>): string {
  const bound = String(requirement);
  const problems: Readonly<Record<string, string>> = {
    min_value: vscode.l10n.t('the value must be at least {0}', bound),
    max_value: vscode.l10n.t('the value must be at most {0}', bound),
    integer: vscode.l10n.t('the value must be an integer'),
  };
  return problems[type] ?? vscode.l10n.t('expected {0}', expected ?? type);
}

/** Whether any setting other than `name` has changed. A single event may report several settings. */
export function hasOtherSettingChanged(name: string, event: vscode.ConfigurationChangeEvent): boolean {
  return SETTING_NAMES.some((each) => each !== name && event.affectsConfiguration(`threadkeeper.${each}`));
}

const compiledRules = ({ keyEvents }: Settings): Promise<readonly RuleResult[]> =>
  Promise.all(keyEvents.rules.map(compileRule));

/** The user's compiled rules for key events, without invalid ones, which `checkSettings` reports. */
export const eventRules = async (settings: Settings): Promise<readonly CompiledRule[]> =>
  (await compiledRules(settings)).flatMap((result) => (result.ok ? result.rule : []));

/** The user's summary prompt, or undefined for the preset's. Throws `SettingsError` if it's invalid. */
export function promptText({ summarizer }: Settings): string | undefined {
  if (summarizer.prompt.trim() === '') return undefined;
  const { missing, unknown } = checkPrompt(summarizer.prompt);
  const named = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');
  if (missing.length > 0)
    throw new SettingsError(
      vscode.l10n.t('Missing placeholder in threadkeeper.summarizer.prompt: {0}.', named(missing)),
      PROMPT,
    );
  if (unknown.length > 0)
    throw new SettingsError(
      vscode.l10n.t('Unknown placeholder in threadkeeper.summarizer.prompt: {0}.', named(unknown)),
      PROMPT,
    );
  return summarizer.prompt;
}

/** The name of the policy: the one selected in the session, or else the one in the settings. */
export function chosenPolicy({ compression }: Settings, state: { readonly policy: string | undefined }): PolicyName {
  return POLICY_NAMES.find((name) => name === state.policy) ?? compression.policy;
}

/** The effective policy: the named one with the user's overrides. 0 turns a trigger off. */
export function policyOf(settings: Settings, name = settings.compression.policy): Policy {
  const { compression, summarizer } = settings;
  const trigger = (value: number | null, scale = 1): number | null | undefined =>
    value === null ? undefined : value === 0 ? null : value * scale;
  const triggers: { -readonly [K in keyof Triggers]: Triggers[K] | undefined } = {
    share: trigger(compression.backgroundThreshold),
    beforeSend: trigger(compression.blockingThreshold),
    tokens: trigger(compression.maxUncompressedTokens),
    messages: trigger(compression.maxUncompressedMessages),
    every: trigger(compression.messageInterval),
    ageMs: trigger(compression.maxSummaryAgeHours, 3_600_000),
    taskReset: trigger(compression.taskResetThreshold),
  };
  return resolvePolicy(name, {
    triggers: withoutUndefined(triggers),
    ...(compression.strategy !== null && { strategy: compression.strategy }),
    ...(compression.recentMessages !== null && { recentMessages: compression.recentMessages }),
    ...(compression.keyEventBudget !== null && { ledgerShare: compression.keyEventBudget }),
    summary: withoutUndefined({
      temperature: summarizer.temperature ?? undefined,
      maxTokens: summarizer.maxTokens ?? undefined,
      effort: summarizer.effort,
    }),
  });
}

/** Settings that were renamed after a preview version, as pairs of old and new name. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['chat.place', 'chat.location'],
  ['chat.effort', 'chat.reasoningEffort'],
  ['chat.countWithProvider', 'chat.countTokensWithProvider'],
  ['compression.share', 'compression.backgroundThreshold'],
  ['compression.beforeSend', 'compression.blockingThreshold'],
  ['compression.tokens', 'compression.maxUncompressedTokens'],
  ['compression.messages', 'compression.maxUncompressedMessages'],
  ['compression.every', 'compression.messageInterval'],
  ['compression.ageHours', 'compression.maxSummaryAgeHours'],
  ['compression.taskReset', 'compression.taskResetThreshold'],
  ['compression.window', 'compression.recentMessages'],
  ['compression.ledgerShare', 'compression.keyEventBudget'],
  ['compression.preview', 'compression.showPreview'],
  ['compression.extractiveOnFault', 'compression.fallbackToExtractive'],
  ['compression.monthlyLimitUsd', 'compression.monthlySpendLimit'],
  ['task.resetFinished', 'task.autoReset'],
  ['recall.share', 'recall.budget'],
  ['memory.tokens', 'memory.maxTokens'],
  ['events.rules', 'keyEvents.rules'],
  ['export.redact', 'export.maskSecrets'],
];

/**
 * Writes a setting to the user's settings by default. If VS Code can't, such as with a syntax error in the file, rejects
 * with a `SettingsError` that has its explanation.
 */
export async function updateSetting(
  name: string,
  value: unknown,
  target = vscode.ConfigurationTarget.Global,
): Promise<void> {
  try {
    await vscode.workspace.getConfiguration('threadkeeper').update(name, value, target);
  } catch (error) {
    throw new SettingsError(errorMessage(error), name);
  }
}

/** Moves user settings to new names that aren't set yet; workspace settings stay. After an error, some are moved. */
export async function moveRenamedSettings(renamed = RENAMED): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  for (const [from, to] of renamed) {
    const old = configuration.inspect<unknown>(from)?.globalValue;
    if (old === undefined) continue;
    if (configuration.inspect<unknown>(to)?.globalValue === undefined)
      await configuration.update(to, old, vscode.ConfigurationTarget.Global);
    await configuration.update(from, undefined, vscode.ConfigurationTarget.Global);
  }
}
