import * as vscode from 'vscode';
import { DOCUMENT_SCHEME } from '../platform/ids.ts';
import type { Page, Section } from './document-page.ts';

/** Outline, folding and links of the session's documents. */
export function readingAids(pageOf: (uri: vscode.Uri) => Promise<Page>): vscode.Disposable[] {
  const ours = { scheme: DOCUMENT_SCHEME };
  return [
    vscode.languages.registerDocumentSymbolProvider(ours, {
      provideDocumentSymbols: async ({ uri, lineCount }) => outline((await pageOf(uri)).sections, lineCount),
    }),
    vscode.languages.registerFoldingRangeProvider(ours, {
      provideFoldingRanges: async ({ uri, lineCount }) => {
        const { sections } = await pageOf(uri);
        return sections.map((section, at) => new vscode.FoldingRange(section.line, endOf(sections, at, lineCount)));
      },
    }),
    vscode.languages.registerDocumentLinkProvider(ours, {
      provideDocumentLinks: async ({ uri }) =>
        (await pageOf(uri)).links.map(
          ({ line, start, end, target }) => new vscode.DocumentLink(new vscode.Range(line, start, line, end), target),
        ),
    }),
  ];
}

/** The last line of a section: before the next heading that is not below it. */
function endOf(sections: readonly Section[], at: number, lines: number): number {
  const { depth, line } = sections[at]!;
  const next = sections.find((other, index) => index > at && other.depth <= depth);
  return Math.max(line, (next?.line ?? lines) - 1);
}

function outline(sections: readonly Section[], lines: number): vscode.DocumentSymbol[] {
  const roots: vscode.DocumentSymbol[] = [];
  const open: { readonly depth: number; readonly symbol: vscode.DocumentSymbol }[] = [];
  for (const [at, { title, depth, line }] of sections.entries()) {
    const whole = new vscode.Range(line, 0, endOf(sections, at, lines), 0);
    const heading = new vscode.Range(line, 0, line, 0);
    const symbol = new vscode.DocumentSymbol(title === '' ? '…' : title, '', vscode.SymbolKind.String, whole, heading);
    while ((open.at(-1)?.depth ?? 0) >= depth) open.pop();
    (open.at(-1)?.symbol.children ?? roots).push(symbol);
    open.push({ depth, symbol });
  }
  return roots;
}
