import type { RE2JS } from 're2js';
import type { DetectedEvent, KeyEventKind } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import { lineSpans } from '../text/lines.ts';
import { phrase, type Phrase } from '../text/phrase.ts';
import { sentenceSteps } from '../text/sentences.ts';
import { wordsPattern } from '../text/words-pattern.ts';

export interface UserRule {
  readonly kind: KeyEventKind;
  /** Case-insensitive; white space matches any amount of white space. */
  readonly phrase?: string;
  /** A regular expression in RE2 syntax: no backreferences or lookaround. */
  readonly pattern?: string;
}

export interface CompiledRule {
  readonly kind: KeyEventKind;
  readonly name: string;
  /** Takes time linear in the length of the text, whatever the pattern. */
  readonly matches: (text: string) => boolean;
}

export type RuleResult =
  { readonly ok: true; readonly rule: CompiledRule } | { readonly ok: false; readonly problem: Phrase };

/** Longer patterns are usually lists, which are better written as several rules. */
const MAX_PATTERN_CHARS = 1_000;

/** Compiles a rule or returns the problem with it. RE2 is loaded on first use, because few users have rules. */
export async function compileRule({ kind, ...rule }: UserRule): Promise<RuleResult> {
  const words = rule.phrase?.trim() ?? '';
  const source = rule.pattern ?? wordsPattern(words);
  if (source === '') return { ok: false, problem: phrase('a rule needs a phrase or a pattern') };
  if (source.length > MAX_PATTERN_CHARS)
    return { ok: false, problem: phrase('the pattern is longer than {0} characters', MAX_PATTERN_CHARS) };
  const { RE2JS, RE2JSException } = await import('re2js');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, problem: phrase('the pattern isn’t valid RE2 syntax ({0})', error.message) };
  }
  const name = rule.pattern === undefined ? `rule “${words}”` : `rule /${source}/`;
  return { ok: true, rule: { kind, name, matches: (text) => compiled.matcher(text).find() } };
}

const SENTENCES_PER_STEP = 20;

/** The sentences that rules match, in order. The first matching rule determines the kind. Linear in the text. */
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
