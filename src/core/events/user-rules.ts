import type { DetectedEvent, KeyEventKind } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import { compilePattern } from './linear-pattern.ts';
import type { LinearPattern } from './linear-pattern.ts';
import { sentenceSteps } from './sentences.ts';

/** A rule as the user wrote it in the settings. */
export interface UserRule {
  readonly kind: KeyEventKind;
  /** Words to look for, in any letter case; white space matches any run of it. */
  readonly phrase?: string;
  /** A regular expression, in the subset that `compilePattern` takes. */
  readonly pattern?: string;
}

export interface CompiledRule {
  readonly kind: KeyEventKind;
  readonly name: string;
  readonly pattern: LinearPattern;
}

export type RuleResult =
  { readonly ok: true; readonly rule: CompiledRule } | { readonly ok: false; readonly problem: string };

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/** Compiles a rule, or says for its author what is wrong with it. */
export function compileRule(rule: UserRule): RuleResult {
  const phrase = rule.phrase?.trim() ?? '';
  const source = rule.pattern ?? phrase.replace(SPECIAL, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);
  if (source === '') return { ok: false, problem: 'a rule needs a phrase or a pattern' };
  const compiled = compilePattern(source);
  if (!compiled.ok) return compiled;
  return {
    ok: true,
    rule: {
      kind: rule.kind,
      name: rule.pattern === undefined ? `rule “${phrase}”` : `rule /${source}/`,
      pattern: compiled.pattern,
    },
  };
}

const SENTENCES_PER_STEP = 20;

/**
 * The sentences in which a rule matches, in order and without overlaps; the first rule that matches names the kind.
 * A line is matched up to the pattern's limit. Time is at most text × pattern size, whatever either holds.
 */
export function* applyRules(text: string, rules: readonly CompiledRule[]): Steps<DetectedEvent[]> {
  const events: DetectedEvent[] = [];
  if (rules.length === 0) return events;
  for (let at = 0; at <= text.length;) {
    let stop = text.indexOf('\n', at);
    if (stop === -1) stop = text.length;
    for (const [n, { start, end }] of (yield* sentenceSteps(text, at, stop)).entries()) {
      if (n % SENTENCES_PER_STEP === 0) yield;
      const quote = text.slice(start, end);
      const rule = rules.find(({ pattern }) => pattern.test(quote));
      if (rule !== undefined) events.push({ start, end, kind: rule.kind, quote, score: 1, reason: rule.name });
    }
    at = stop + 1;
  }
  return events;
}
