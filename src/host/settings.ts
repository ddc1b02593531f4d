import * as v from 'valibot';
import * as vscode from 'vscode';
import { POLICY_NAMES, resolvePolicy, STRATEGIES, type Policy, type Triggers } from '../core/policy/policy.ts';

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
    reservedTokens: v.pipe(v.number(), v.integer(), v.minValue(256)),
    contextWindow: orNull(v.pipe(v.number(), v.integer(), v.minValue(1024))),
    enterSends: v.boolean(),
    pasteAsAttachmentAbove: v.pipe(v.number(), v.integer(), v.minValue(100)),
  }),
  summarizer: v.object({
    provider: v.picklist(['chat', ...PROVIDERS]),
    model: v.string(),
    baseUrl: v.string(),
    temperature: orNull(v.number()),
    maxTokens: orNull(v.pipe(v.number(), v.integer())),
    preset: v.picklist(['developer', 'customer', 'role-play', 'advisory']),
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
    task: section('task'),
    recall: section('recall'),
  });
  if (result.success) return result.output;
  const where = v.getDotPath(result.issues[0]) ?? '';
  throw new SettingsError(`The setting threadkeeper.${where} does not make sense: ${result.issues[0].message}.`);
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
