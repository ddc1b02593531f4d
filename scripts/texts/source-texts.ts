import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { hardCodedHostText, hardCodedPageText, hardCodedSentence } from './hard-coded-texts.ts';

export interface SourceTexts {
  /** The English UI strings, sorted. */
  readonly english: readonly string[];
  /** Problems with UI strings, each with its file and line. */
  readonly faults: readonly string[];
}

/** These files forward strings of others, so their keys aren't literals. */
const FORWARDING_FILES = new Set(['src/host/platform/l10n.ts', 'src/core/text/phrase.ts', 'src/webview/format.ts']);

/** Collects the UI strings of `files` (paths relative to `root`), and reports hard-coded ones. */
export function collectTexts(root: string, files: readonly string[]): SourceTexts {
  const english = new Set<string>();
  const faults: string[] = [];

  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      readFileSync(path.join(root, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    );
    const isPage = file.startsWith('src/webview/');
    const fault = (node: ts.Node, what: string): void => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      faults.push(`${file}:${line + 1}: ${what}`);
    };
    const visit = (node: ts.Node): void => {
      const call = ts.isCallExpression(node) ? translationIn(node, isPage) : undefined;
      const texts = call?.english.map(literalsOf);
      for (const text of texts?.flat() ?? []) {
        english.add(text);
        const placeholders = placeholdersOf(text).size;
        // A singular has no placeholder, although the number is passed as well.
        if (isPage || call!.english.length > 1 ? placeholders > call!.values : placeholders !== call!.values)
          fault(node, `“${text}” has a different number of placeholders and values`);
      }
      if (texts?.some((some) => some.length === 0) && !FORWARDING_FILES.has(file))
        fault(node, 'the key of a text must be a literal');
      const hardCoded = isPage
        ? (hardCodedPageText(node) ?? hardCodedSentence(node))
        : file.startsWith('src/host/')
          ? (hardCodedHostText(node) ?? hardCodedSentence(node))
          : undefined;
      if (hardCoded !== undefined) fault(node, `“${hardCoded}” isn’t translated`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { english: [...english].sort(), faults };
}

/** The strings that a call translates, and its number of values. `formatCounted` has a singular and a plural. */
function translationIn(
  { expression, arguments: given }: ts.CallExpression,
  isPage: boolean,
): { readonly english: readonly (ts.Expression | undefined)[]; readonly values: number } | undefined {
  const called = expression.getText();
  const values = given.some(ts.isSpreadElement) ? Number.POSITIVE_INFINITY : given.length - 1;
  if (called === 'formatCounted') return { english: given.slice(1, 3), values: values - 1 };
  const translates = isPage ? called === 'text' : called === 'vscode.l10n.t' || called === 'phrase';
  return translates ? { english: [given[0]], values } : undefined;
}

/** The literals that an expression can evaluate to; empty if they aren't known. */
function literalsOf(node: ts.Expression | undefined): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (!ts.isConditionalExpression(node)) return [];
  const [yes, no] = [literalsOf(node.whenTrue), literalsOf(node.whenFalse)];
  return yes.length > 0 && no.length > 0 ? [...yes, ...no] : [];
}

/** A string's placeholders: `{0}`, `{1}`, … */
export function placeholdersOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\{\d\}/g), ([hole]) => hole));
}
