import * as vscode from 'vscode';
import { truncateAtWord } from '../platform/l10n.ts';
import { sentLevelOf } from '../../core/context/ledger-lines.ts';
import { messageText as textOf, type Message } from '../../core/model/message.ts';
import { supportOf, type StatementFinding } from '../../core/model/statement-check.ts';
import type { SummaryCheck, SummaryNode } from '../../core/model/summary.ts';
import type { Yielder } from '../../core/pace/yielder.ts';
import { runYielding } from '../../core/pace/steps.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { messageUri, nodeUri, sourceDocument } from './node-documents.ts';
import { openAsText, parseDocumentUri } from './document-uris.ts';
import { LINE_END } from './rendered-document.ts';
import { reasonText } from './summary-texts.ts';

export interface ComparisonResult {
  /** Number of checked statements. */
  readonly statements: number;
  readonly unsupported: number;
  /** Number of statements without a valid verdict of the model. */
  readonly unjudged: number;
  /** `provider/model` that checked the summary; undefined for a check without a model. */
  readonly checkedBy: string | undefined;
}

export type Comparison = ReturnType<typeof comparison>;

/** Shows a summary next to its source, and highlights supported and unsupported parts. */
export function comparison(yielder: Yielder) {
  const supported = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
  });
  const unsupported = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    textDecoration: 'underline wavy',
  });

  /** Opens a summary next to its source, and highlights both by a model's check, or else by unknown terms. */
  const open = async (
    state: SessionState,
    node: SummaryNode,
    level = sentLevelOf(state, node.id),
  ): Promise<ComparisonResult> => {
    const shown = node[level] === undefined ? 'detailed' : level;
    const span = state.spanOf(node.id);
    const ids = span ? state.path.slice(span.from, span.to + 1) : [];
    const messages = ids.flatMap((id) => state.messages.get(id) ?? []);
    const latest = state.summaries.checkOf(node);
    const check = latest?.level === shown ? latest : undefined;
    const { checkStatementsSteps } = await import('../../core/audit/statements.ts');
    const statements = check
      ? findingsOf(check, messages)
      : await runYielding(checkStatementsSteps(node[shown] ?? '', messages), yielder);
    const left = await openAsText(nodeUri(state, node, shown), { viewColumn: vscode.ViewColumn.One, preview: false });
    const right = await openAsText(nodeUri(state, node, 'source'), {
      viewColumn: vscode.ViewColumn.Two,
      preview: false,
      preserveFocus: true,
    });
    const mark = (statement: StatementFinding): vscode.DecorationOptions => ({
      range: new vscode.Range(left.document.positionAt(statement.start), left.document.positionAt(statement.end)),
      hoverMessage: hover(state, messages, statement),
    });
    left.setDecorations(supported, statements.filter(isSupported).map(mark));
    left.setDecorations(unsupported, statements.filter(isUnsupported).map(mark));
    right.setDecorations(supported, sourceRanges(right.document, state, node, messages, statements));
    const judged = statements.filter(({ isByCode }) => !isByCode);
    return {
      statements: judged.length,
      unsupported: judged.filter(isUnsupported).length,
      unjudged: statements.length - judged.length,
      checkedBy: check?.model,
    };
  };

  return { open, dispose: (): void => void vscode.Disposable.from(supported, unsupported).dispose() };
}

/** A model's findings with message indexes; passages of messages deleted since are omitted. */
function findingsOf({ statements }: SummaryCheck, messages: readonly Message[]): StatementFinding[] {
  const indexes = new Map(messages.map(({ id }, index) => [id, index]));
  return statements.map(({ sources, ...one }) => ({
    ...one,
    sources: sources.flatMap((source) => {
      const message = indexes.get(source.message);
      return message === undefined ? [] : [{ ...source, message }];
    }),
  }));
}

const isSupported = ({ reason }: StatementFinding): boolean => supportOf(reason) === true;
const isUnsupported = ({ reason }: StatementFinding): boolean => supportOf(reason) === false;

/** The passages that support a statement, as ranges in the source document, which shows messages in order. */
function sourceRanges(
  document: vscode.TextDocument,
  state: SessionState,
  node: SummaryNode,
  messages: readonly Message[],
  statements: readonly StatementFinding[],
): vscode.Range[] {
  const { text, links } = sourceDocument(state, node);
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  // A message begins two lines below the link to it.
  const starts = links
    .filter(({ target }) => parseDocumentUri(target)?.kind === 'message')
    .map(({ line }) => lineStarts[line + 2]!);
  const lengthInDocument = (source: string): number => source.replaceAll(LINE_END, '\n').length;
  return statements
    .filter(isSupported)
    .flatMap(({ sources }) => sources)
    .flatMap(({ message, start, end }) => {
      const [at, source] = [starts[message], messages[message]];
      if (at === undefined || !source) return [];
      const position = (offset: number): vscode.Position =>
        document.positionAt(at + lengthInDocument(textOf(source).slice(0, offset)));
      return [new vscode.Range(position(start), position(end))];
    });
}

function hover(
  state: SessionState,
  messages: readonly Message[],
  { sources, instead, isByCode, ...found }: StatementFinding,
): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(reasonText(found));
  if (isByCode)
    text
      .appendMarkdown('\n\n')
      .appendText(
        vscode.l10n.t('The model returned no usable verdict. Showing the result of the automatic check instead.'),
      );
  if (instead !== undefined)
    text.appendMarkdown('\n\n').appendText(vscode.l10n.t('According to the model, the source says: {0}', instead));
  for (const source of sources) {
    const message = messages[source.message];
    if (!message) continue;
    const name = vscode.l10n.t('Message {0}', (state.positionOf(message.id) ?? 0) + 1);
    text.appendMarkdown(`\n\n[${name}](${messageUri(state, message.id).toString()}): `);
    text.appendText(truncateAtWord(textOf(message).slice(source.start, source.end), 200));
  }
  return text;
}
