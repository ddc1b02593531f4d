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

const PAGE_TABLE = 'src/webview/texts.ts';
/** Here texts arrive from elsewhere, so their keys are no literals. */
const PASSING_ON = new Set(['src/host/platform/translated.ts', 'src/core/text/phrase.ts']);

/** Collects what the sources in `files` (paths below `root`) say to people, and where they say it past translation. */
export function collectTexts(root: string, files: readonly string[]): SourceTexts {
  const english = new Set<string>();
  const faults: string[] = [];
  const pageKeys = new Map<string, string>();
  const usedLiterals = new Set<string>();

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
      if (ts.isCallExpression(node) && isTranslation(node) && !PASSING_ON.has(file)) {
        const [key, ...values] = node.arguments;
        if (key === undefined || !ts.isStringLiteralLike(key)) fault(node, 'the key of a text has to be written out');
        else {
          english.add(key.text);
          if (holesOf(key.text).size !== values.length)
            fault(node, `“${key.text}” does not have as many holes as values`);
        }
      }
      if (isPage && ts.isStringLiteralLike(node) && file !== PAGE_TABLE) usedLiterals.add(node.text);
      if (file === PAGE_TABLE && ts.isVariableDeclaration(node) && node.name.getText() === 'ENGLISH')
        for (const [key, text] of tableOf(node)) pageKeys.set(key, text);
      const hardCoded =
        isPage && file !== PAGE_TABLE
          ? (judgePageNode(node) ?? judgeSentence(node))
          : file.startsWith('src/host/')
            ? (judgeHostNode(node) ?? judgeSentence(node))
            : undefined;
      if (hardCoded !== undefined) fault(node, `“${hardCoded}” is said without translation`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  for (const [key, text] of pageKeys) {
    english.add(text);
    if (!usedLiterals.has(key)) faults.push(`${PAGE_TABLE}: nothing says ${key}`);
  }
  return { english: [...english].sort(), faults };
}

function isTranslation({ expression }: ts.CallExpression): boolean {
  const called = expression.getText();
  return called === 'vscode.l10n.t' || called === 'phrase';
}

/** The holes of a text: `{0}`, `{1}`, … */
export function holesOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\{\d\}/g), ([hole]) => hole));
}

function tableOf({ initializer }: ts.VariableDeclaration): readonly (readonly [string, string])[] {
  if (!initializer || !ts.isObjectLiteralExpression(initializer)) return [];
  return initializer.properties.flatMap((one) =>
    ts.isPropertyAssignment(one) && ts.isStringLiteralLike(one.initializer)
      ? [[one.name.getText().replaceAll("'", ''), one.initializer.text] as const]
      : [],
  );
}
