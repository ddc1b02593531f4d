import * as v from 'valibot';
import { TOOLS } from '../../app/library/source.ts';
import { KEY_EVENT_KINDS } from '../../core/model/key-event.ts';
import { COST_TIERS } from '../../core/model/summary.ts';
import { POLICY_NAMES, STRATEGIES } from '../../core/policy/policy.ts';
import { PRESETS } from '../../core/prompts/render-prompts.ts';
import { EFFORTS, priceSchema } from '../../core/tokens/model-facts.ts';

export const PROVIDERS = ['local', 'vscode', 'openai', 'anthropic', 'compatible'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const atLeast = (min: number) => v.pipe(v.number(), v.minValue(min));
const between = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max));
const integer = (min: number) => v.pipe(v.number(), v.integer(), v.minValue(min));
const share = between(0, 1);
/** `null` stands for the value of the policy or the model. */
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

/** All settings with types and limits. A test compares them with the manifest. */
export const settingsSchema = v.object({
  chat: v.object({
    provider: v.picklist(PROVIDERS),
    model: v.string(),
    baseUrl: v.string(),
    systemPrompt: v.string(),
    projectRules: v.picklist(['ask', 'always', 'never']),
    temperature: orNull(between(0, 2)),
    reasoningEffort: orNull(v.picklist(EFFORTS)),
    reservedTokens: integer(256),
    contextWindow: orNull(integer(1024)),
    firstTokenTimeout: integer(5),
    silenceTimeout: integer(5),
    enterSends: v.boolean(),
    sendWhileResponding: v.picklist(['queue', 'stopAndSend']),
    implicitContext: v.boolean(),
    countTokensWithProvider: v.boolean(),
    pasteAsAttachmentAbove: integer(100),
    location: v.picklist(['editor', 'sidebar']),
  }),
  summarizer: v.object({
    provider: v.picklist(['chat', ...PROVIDERS]),
    model: v.string(),
    baseUrl: v.string(),
    temperature: orNull(between(0, 2)),
    maxTokens: orNull(integer(50)),
    preset: v.picklist(PRESETS),
    effort: v.picklist(COST_TIERS),
    prompt: v.string(),
  }),
  compression: v.object({
    policy: v.picklist(POLICY_NAMES),
    strategy: orNull(v.picklist(STRATEGIES)),
    backgroundThreshold: orNull(share),
    blockingThreshold: orNull(share),
    maxUncompressedTokens: orNull(integer(0)),
    maxUncompressedMessages: orNull(integer(0)),
    messageInterval: orNull(integer(0)),
    maxSummaryAgeHours: orNull(atLeast(0)),
    taskResetThreshold: orNull(integer(0)),
    recentMessages: orNull(integer(1)),
    keyEventBudget: orNull(between(0.01, 0.9)),
    showPreview: v.boolean(),
    fallbackToExtractive: v.boolean(),
    monthlySpendLimit: orNull(atLeast(0)),
  }),
  models: v.object({
    overrides: v.record(
      v.string(),
      v.object({
        contextWindow: v.optional(integer(1024)),
        takesImages: v.optional(v.boolean()),
        maxOutput: v.optional(integer(1)),
        price: v.optional(v.omit(priceSchema, ['long'])),
      }),
    ),
  }),
  keyEvents: v.object({
    rules: v.array(
      v.object({ kind: v.picklist(KEY_EVENT_KINDS), phrase: v.optional(v.string()), pattern: v.optional(v.string()) }),
    ),
  }),
  export: v.object({ maskSecrets: v.boolean() }),
  memory: v.object({ maxTokens: integer(0) }),
  task: v.object({ autoReset: v.boolean() }),
  recall: v.object({ budget: between(0, 0.5) }),
  sources: v.object({ tools: v.array(v.picklist(TOOLS)), keepDays: integer(0) }),
});

export type Settings = v.InferOutput<typeof settingsSchema>;

/** All settings' names, such as `chat.model`. */
export const SETTING_NAMES = Object.entries(settingsSchema.entries).flatMap(([section, { entries }]) =>
  Object.keys(entries).map((name) => `${section}.${name}`),
);
