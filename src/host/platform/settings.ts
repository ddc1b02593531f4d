import * as v from 'valibot';
import * as vscode from 'vscode';
import { compileRule, type CompiledRule } from '../../core/events/user-rules.ts';
import { KEY_EVENT_KINDS } from '../../core/model/key-event.ts';
import { checkPrompt, PRESETS } from '../../core/prompts/render.ts';
import { EFFORTS } from '../../core/tokens/model-facts.ts';
import {
  POLICY_NAMES,
  resolvePolicy,
  STRATEGIES,
  type Policy,
  type PolicyName,
  type Triggers,
} from '../../core/policy/policy.ts';

const PROVIDERS = ['local', 'vscode', 'openai', 'anthropic', 'compatible'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);
const positive = v.pipe(v.number(), v.minValue(0));

const schema = v.object({
  chat: v.object({
    provider: v.picklist(PROVIDERS),
    model: v.string(),
    baseUrl: v.string(),
    systemPrompt: v.string(),
    temperature: orNull(v.number()),
    effort: orNull(v.picklist(EFFORTS)),
    reservedTokens: v.pipe(v.number(), v.integer(), v.minValue(256)),
    contextWindow: orNull(v.pipe(v.number(), v.integer(), v.minValue(1024))),
    enterSends: v.boolean(),
    countWithProvider: v.boolean(),
    pasteAsAttachmentAbove: v.pipe(v.number(), v.integer(), v.minValue(100)),
    place: v.picklist(['editor', 'sidebar']),
  }),
  summarizer: v.object({
    provider: v.picklist(['chat', ...PROVIDERS]),
    model: v.string(),
    baseUrl: v.string(),
    temperature: orNull(v.number()),
    maxTokens: orNull(v.pipe(v.number(), v.integer())),
    preset: v.picklist(PRESETS),
    prompt: v.string(),
  }),
  compression: v.object({
    policy: v.picklist(POLICY_NAMES),
    strategy: orNull(v.picklist(STRATEGIES)),
    share: orNull(share),
    beforeSend: orNull(share),
    tokens: orNull(positive),
    messages: orNull(positive),
    every: orNull(positive),
    ageHours: orNull(positive),
    taskReset: orNull(positive),
    window: orNull(v.number()),
    ledgerShare: orNull(share),
    extractiveOnFault: v.boolean(),
    monthlyLimitUsd: orNull(positive),
  }),
  models: v.object({
    overrides: v.record(
      v.string(),
      v.object({
        contextWindow: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1024))),
        takesImages: v.optional(v.boolean()),
        maxOutput: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
        price: v.optional(
          v.object({
            input: positive,
            output: positive,
            cachedInput: v.optional(positive),
            cacheWrite: v.optional(positive),
          }),
        ),
      }),
    ),
  }),
  events: v.object({
    rules: v.array(
      v.object({ kind: v.picklist(KEY_EVENT_KINDS), phrase: v.optional(v.string()), pattern: v.optional(v.string()) }),
    ),
  }),
  export: v.object({ redact: v.boolean() }),
  memory: v.object({ tokens: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  task: v.object({ resetFinished: v.boolean() }),
  recall: v.object({ share: v.pipe(v.number(), v.minValue(0), v.maxValue(0.5)) }),
});

export type Settings = v.InferOutput<typeof schema>;

/** A setting that makes no sense, in one sentence for the user. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The settings as they are now. Throws `SettingsError` naming the first one that makes no sense. */
export function readSettings(): Settings {
  const section = (name: string): unknown => vscode.workspace.getConfiguration('threadkeeper').get(name);
  const result = v.safeParse(schema, {
    chat: section('chat'),
    summarizer: section('summarizer'),
    compression: section('compression'),
    models: section('models'),
    events: section('events'),
    export: section('export'),
    memory: section('memory'),
    task: section('task'),
    recall: section('recall'),
  });
  if (result.success) return result.output;
  const where = v.getDotPath(result.issues[0]) ?? '';
  throw new SettingsError(
    vscode.l10n.t('The setting threadkeeper.{0} does not make sense: {1}.', where, result.issues[0].message),
  );
}

const NAMES = Object.entries(schema.entries).flatMap(([section, { entries }]) =>
  Object.keys(entries).map((name) => `${section}.${name}`),
);

/** Whether any setting has changed but the one of that name, such as `chat.place`: one write may change several. */
export function hasChangedBeside(name: string, event: vscode.ConfigurationChangeEvent): boolean {
  return NAMES.some((each) => each !== name && event.affectsConfiguration(`threadkeeper.${each}`));
}

/** The user's rules for key events, compiled. Throws `SettingsError` naming the first that cannot be used. */
export function eventRules({ events }: Settings): readonly CompiledRule[] {
  return events.rules.map((rule, index) => {
    const result = compileRule(rule);
    if (result.ok) return result.rule;
    throw new SettingsError(
      vscode.l10n.t('Rule {0} of threadkeeper.events.rules cannot be used: {1}', index + 1, result.problem),
    );
  });
}

/** The user's own summary prompt, or undefined for the preset's. Throws `SettingsError` when it cannot be used. */
export function promptText({ summarizer }: Settings): string | undefined {
  if (summarizer.prompt.trim() === '') return undefined;
  const { missing, unknown } = checkPrompt(summarizer.prompt);
  const named = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');
  if (missing.length > 0)
    throw new SettingsError(vscode.l10n.t('The setting threadkeeper.summarizer.prompt lacks {0}.', named(missing)));
  if (unknown.length > 0)
    throw new SettingsError(
      vscode.l10n.t('Nothing fills {0} in the setting threadkeeper.summarizer.prompt.', named(unknown)),
    );
  return summarizer.prompt;
}

/** The policy's name: the session's own choice, else the settings'. */
export function chosenPolicy({ compression }: Settings, state: { readonly policy: string | undefined }): PolicyName {
  return POLICY_NAMES.find((name) => name === state.policy) ?? compression.policy;
}

/** The policy in force: the named one, with what the user set over it; 0 switches a trigger off. */
export function policyOf(settings: Settings, name = settings.compression.policy): Policy {
  const { compression, summarizer } = settings;
  const trigger = (value: number | null, scale = 1): number | null | undefined =>
    value === null ? undefined : value === 0 ? null : value * scale;
  const set: { -readonly [K in keyof Triggers]: Triggers[K] | undefined } = {
    share: trigger(compression.share),
    beforeSend: trigger(compression.beforeSend),
    tokens: trigger(compression.tokens),
    messages: trigger(compression.messages),
    every: trigger(compression.every),
    ageMs: trigger(compression.ageHours, 3_600_000),
    taskReset: trigger(compression.taskReset),
  };
  return resolvePolicy(name, {
    triggers: defined(set),
    ...(compression.strategy !== null && { strategy: compression.strategy }),
    ...(compression.window !== null && { window: compression.window }),
    ...(compression.ledgerShare !== null && { ledgerShare: compression.ledgerShare }),
    summary: defined({
      temperature: summarizer.temperature ?? undefined,
      maxTokens: summarizer.maxTokens ?? undefined,
    }),
  });
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
