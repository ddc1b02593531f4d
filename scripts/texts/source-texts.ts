import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { judgeHostNode, judgePageNode, judgeSentence } from './hard-coded.ts';

export interface SourceTexts {
  /** The English of everything that code says, sorted. */
  readonly english: readonly string[];
  /** What is wrong with how it is said, each with its place. */
  readonly faults: readonly string[];
}

/** Here texts arrive from elsewhere, so their keys are no literals. */
const PASSING_ON = new Set(['src/host/platform/l10n.ts', 'src/core/text/phrase.ts', 'src/webview/format.ts']);

/** Collects what the sources in `files` (paths below `root`) say to people, and where they say it past translation. */
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
      const said = ts.isCallExpression(node) ? translationIn(node, isPage) : undefined;
      const texts = said?.english.map(writtenOut);
      for (const text of texts?.flat() ?? []) {
        english.add(text);
        const holes = holesOf(text).size;
        // On the page one of a thing is said without its number, which is handed over all the same.
        if (isPage ? holes > said!.values : holes !== said!.values)
          fault(node, `“${text}” does not have as many holes as values`);
      }
      if (texts?.some((some) => some.length === 0) && !PASSING_ON.has(file))
        fault(node, 'the key of a text has to be written out');
      const hardCoded = isPage
        ? (judgePageNode(node) ?? judgeSentence(node))
        : file.startsWith('src/host/')
          ? (judgeHostNode(node) ?? judgeSentence(node))
          : undefined;
      if (hardCoded !== undefined) fault(node, `“${hardCoded}” is said without translation`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { english: [...english].sort(), faults };
}

/** What a call translates, and how many values it has for that: the page says several of a thing by `formatCounted`. */
function translationIn(
  { expression, arguments: given }: ts.CallExpression,
  isPage: boolean,
): { readonly english: readonly (ts.Expression | undefined)[]; readonly values: number } | undefined {
  const called = expression.getText();
  const values = given.some(ts.isSpreadElement) ? Number.POSITIVE_INFINITY : given.length - 1;
  if (isPage && called === 'formatCounted') return { english: given.slice(1, 3), values: values - 1 };
  const translates = isPage ? called === 'text' : called === 'vscode.l10n.t' || called === 'phrase';
  return translates ? { english: [given[0]], values } : undefined;
}

/** The texts that an expression may be; none where they are not written out. */
function writtenOut(node: ts.Expression | undefined): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (!ts.isConditionalExpression(node)) return [];
  const [yes, no] = [writtenOut(node.whenTrue), writtenOut(node.whenFalse)];
  return yes.length > 0 && no.length > 0 ? [...yes, ...no] : [];
}

/** The holes of a text: `{0}`, `{1}`, … */
export function holesOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\{\d\}/g), ([hole]) => hole));
}
