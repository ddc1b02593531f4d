import type { KeyEventKind } from '../model/key-event.ts';
import { compilePattern } from './linear-pattern.ts';
import type { LinearPattern } from './linear-pattern.ts';

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
