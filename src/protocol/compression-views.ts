import * as v from 'valibot';
import { aCompressionId, amount, aNodeId, count, list, longText, time } from './fields.ts';
import { eventMarkSchema, levelSchema } from './views.ts';

/** A run of the active branch that a summary stands for; positions are 0-based, inclusive. */
export const coverSchema = v.object({
  node: aNodeId,
  title: v.string(),
  from: count,
  to: count,
  level: levelSchema,
});
export type CoverView = v.InferOutput<typeof coverSchema>;

/** One compression, shown after the message at position `after` (-1: before the first). Money in US dollars. */
export const compressionSchema = v.object({
  id: aCompressionId,
  at: time,
  after: v.pipe(v.number(), v.integer(), v.minValue(-1)),
  /** Nodes it made that still stand, newest level first; when all were undone, all of them. */
  nodes: list(aNodeId),
  messages: count,
  summaries: count,
  tokens: v.object({ before: amount, after: amount }),
  keyEvents: v.object({ kept: count, total: count }),
  costUsd: amount,
  undone: v.boolean(),
});
export type CompressionView = v.InferOutput<typeof compressionSchema>;

/** A summary opened in place. */
export const nodeSchema = v.object({
  id: aNodeId,
  title: v.string(),
  text: longText,
  tokens: v.object({ source: amount, shown: amount }),
  rung: v.picklist(['model', 'retry', 'tight', 'extractive', 'cut', 'edited']),
  model: v.string(),
  from: count,
  to: count,
  audit: v.object({ score: v.number(), faults: list(v.string()) }),
  events: list(eventMarkSchema),
});
export type NodeView = v.InferOutput<typeof nodeSchema>;

/** What a compression would do, before it is committed. */
export const previewSchema = v.object({
  messages: count,
  tokens: v.object({ before: amount, after: amount }),
  /** All key events that would be kept, those that are in the ledger already among them. */
  kept: list(eventMarkSchema),
  dropped: list(v.string()),
  /** The summarizer, and at most what it would cost; null where its price is not known, 0 where no model is used. */
  model: v.string(),
  maxCostUsd: v.nullable(amount),
});
export type PreviewView = v.InferOutput<typeof previewSchema>;
