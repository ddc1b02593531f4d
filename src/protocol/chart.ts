import * as v from 'valibot';
import { count, longText, shortText } from './fields.ts';

/** What the chart's page is asked: to draw an SVG as a PNG of so many pixels. */
export const chartRequestSchema = v.object({
  type: v.literal('draw'),
  id: count,
  svg: longText,
  width: count,
  height: count,
});
export type ChartRequest = v.InferOutput<typeof chartRequestSchema>;

export const chartAnswerSchema = v.variant('type', [
  /** The page listens. */
  v.object({ type: v.literal('ready') }),
  v.object({ type: v.literal('drawn'), id: count, base64: v.pipe(longText, v.regex(/^[\da-z+/]+={0,2}$/i)) }),
  v.object({ type: v.literal('failed'), id: count, reason: shortText }),
]);
export type ChartAnswer = v.InferOutput<typeof chartAnswerSchema>;
