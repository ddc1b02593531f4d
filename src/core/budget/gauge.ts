import type { ModelInfo } from '../tokens/model-info.ts';

/** The parts of a request, in the order in which the gauge shows them. */
export const GAUGE_PARTS = [
  'system',
  'rules',
  'memory',
  'ledger',
  'summaries',
  'recent',
  'task',
  'attachments',
  'recalled',
] as const;
export type GaugePart = (typeof GAUGE_PARTS)[number];

/** Tokens of each part of a request; missing parts are empty. */
export type PartTokens = Readonly<Partial<Record<GaugePart, number>>>;

export interface Budget {
  /** Maximum tokens of a request. */
  readonly tokens: number;
  /** Tokens reserved for the response. */
  readonly reserved: number;
}

export type GaugeLevel = 'ok' | 'warning' | 'error';

/** Shares of the budget at which the gauge gets the warning and error colors. */
const WARNING_SHARE = 0.75;
const ERROR_SHARE = 0.9;

/**
 * The budget of a model: its context window minus the tokens reserved for the response, at most the model's maximum
 * input. The reserve never exceeds the model's maximum output or half of the context window.
 *
 * @param reservedReply tokens to reserve for the response
 */
export function budgetOf(
  model: Pick<ModelInfo, 'contextWindow' | 'maxInput' | 'maxOutput'>,
  reservedReply: number,
): Budget {
  const { contextWindow, maxInput = contextWindow, maxOutput } = model;
  const reserved = Math.max(0, Math.min(Math.floor(reservedReply), maxOutput, Math.floor(contextWindow / 2)));
  return { tokens: Math.min(contextWindow - reserved, maxInput), reserved };
}

/**
 * All parts, including empty ones, scaled in proportion to whole tokens that add up to `used` (largest remainder
 * method). `used` also contains tokens that belong to no part, such as `REPLY_PRIMING_TOKENS`.
 */
export function gaugeParts(tokens: PartTokens, used: number): { readonly name: GaugePart; readonly tokens: number }[] {
  const sum = GAUGE_PARTS.reduce((all, name) => all + (tokens[name] ?? 0), 0);
  const exact = GAUGE_PARTS.map((name) => (sum === 0 ? 0 : ((tokens[name] ?? 0) * used) / sum));
  const whole = exact.map(Math.floor);
  const left = sum === 0 ? 0 : used - whole.reduce((all, one) => all + one, 0);
  const cut = [...exact.keys()].sort((a, b) => exact[b]! - whole[b]! - (exact[a]! - whole[a]!));
  for (const at of cut.slice(0, left)) whole[at]!++;
  return GAUGE_PARTS.map((name, at) => ({ name, tokens: whole[at]! }));
}

export function gaugeLevelOf(share: number): GaugeLevel {
  if (share >= ERROR_SHARE) return 'error';
  return share >= WARNING_SHARE ? 'warning' : 'ok';
}
