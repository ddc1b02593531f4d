import type { Steps } from '../pace/steps.ts';
import type { DetectedEvent } from '../model/key-event.ts';
import { lineSpans } from '../text/lines.ts';
import { sentenceSteps } from '../text/sentences.ts';
import type { CompiledRule } from './user-rules.ts';

const SENTENCES_PER_STEP = 20;

/**
 * The sentences that a rule matches, in order and without overlaps. The first matching rule determines the kind. Linear
 * in the text.
 */
export function* applyRules(text: string, rules: readonly CompiledRule[]): Steps<DetectedEvent[]> {
  const events: DetectedEvent[] = [];
  if (rules.length === 0) return events;
  for (const line of lineSpans(text)) {
    for (const [n, { start, end }] of (yield* sentenceSteps(text, line.start, line.end)).entries()) {
      if (n % SENTENCES_PER_STEP === 0) yield;
      const quote = text.slice(start, end);
      const rule = rules.find(({ matches }) => matches(quote));
      if (rule !== undefined)
        events.push({ start, end, kind: rule.kind, quote, score: 1, importance: 3, reason: rule.name });
    }
  }
  return events;
}
