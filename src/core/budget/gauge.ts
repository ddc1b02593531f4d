import type { ModelInfo } from '../tokens/models.ts';

/** What a request is made of, in the order a gauge shows it. */
export const GAUGE_PARTS = [
  'system',
  'memory',
  'ledger',
  'summaries',
  'window',
  'task',
  'attachments',
  'recalled',
] as const;
export type GaugePart = (typeof GAUGE_PARTS)[number];

/** Tokens of each part of a request; a part left out is empty. */
export type PartTokens = Readonly<Partial<Record<GaugePart, number>>>;

/** The room of a request, in tokens. */
export interface Budget {
  /** What may be sent. */
  readonly tokens: number;
  /** What is kept free for the reply. */
  readonly reserved: number;
  /** The model's whole window: at least both together. */
  readonly contextWindow: number;
}

export type GaugeLevel = 'ok' | 'warning' | 'error';

export interface GaugeReading {
  /** The share of the budget in use; above 1 the request does not fit. */
  readonly share: number;
  readonly used: number;
  /** Tokens of the budget still free; never below 0. */
  readonly free: number;
  readonly budget: Budget;
  readonly level: GaugeLevel;
  /** Every part, empty ones too; they add up to `used`. */
  readonly parts: Readonly<Record<GaugePart, number>>;
}

/** From here the editor shows a warning, and from the next an error (the shares at which compression starts). */
export const WARNING_SHARE = 0.75;
export const ERROR_SHARE = 0.9;

/** However small the window, this share of it stays for what is sent: a reply to nothing helps nobody. */
const LEAST_SENT_SHARE = 0.5;

/**
 * The budget of a model: its window less the room for the reply, which is never more than the model can write nor
 * than half of the window, and never more than the model takes as input.
 *
 * @param reservedReply tokens to keep free for the reply
 */
export function budgetOf(
  model: Pick<ModelInfo, 'contextWindow' | 'maxInput' | 'maxOutput'>,
  reservedReply: number,
): Budget {
  const { contextWindow, maxInput = contextWindow, maxOutput } = model;
  const most = contextWindow - Math.ceil(contextWindow * LEAST_SENT_SHARE);
  const reserved = Math.max(0, Math.min(Math.floor(reservedReply), maxOutput, most));
  return { tokens: Math.min(contextWindow - reserved, maxInput), reserved, contextWindow };
}

/** Adds the parts up and compares them with the budget. */
export function gauge(parts: PartTokens, budget: Budget): GaugeReading {
  const read = (part: GaugePart): number => parts[part] ?? 0;
  const whole: Record<GaugePart, number> = {
    system: read('system'),
    memory: read('memory'),
    ledger: read('ledger'),
    summaries: read('summaries'),
    window: read('window'),
    task: read('task'),
    attachments: read('attachments'),
    recalled: read('recalled'),
  };
  const used = GAUGE_PARTS.reduce((sum, part) => sum + whole[part], 0);
  const share = budget.tokens > 0 ? used / budget.tokens : used > 0 ? Infinity : 0;
  return { share, used, free: Math.max(0, budget.tokens - used), budget, level: levelOf(share), parts: whole };
}

export function levelOf(share: number): GaugeLevel {
  if (share >= ERROR_SHARE) return 'error';
  return share >= WARNING_SHARE ? 'warning' : 'ok';
}
