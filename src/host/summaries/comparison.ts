import * as vscode from 'vscode';
import { messageText as textOf, type Message } from '../../core/model/message.ts';
import { supportOf, type StatementFinding } from '../../core/model/statement.ts';
import type { SummaryCheck, SummaryNode } from '../../core/model/summary.ts';
import type { Breather } from '../../core/pace/breather.ts';
import { resting } from '../../core/pace/steps.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { messageUri, nodeUri } from './node-pages.ts';
import { openDocument } from './documents.ts';
import { reasonText } from './summary-facts.ts';

/** What a comparison found. */
export interface Compared {
  /** Those that were judged. */
  readonly statements: number;
  readonly unsupported: number;
  /** Those that the model gave no verdict on that holds. */
  readonly unjudged: number;
  /** `provider/model` that read the source; undefined where code did. */
  readonly reader: string | undefined;
}

/**
 * Marks in a summary and in its source beside it what the source says, and what it does not: terms that code cannot find
 * there, and statements that a model did not find.
 */
export class Comparison implements vscode.Disposable {
  readonly #supported = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
  });
  readonly #unsupported = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    textDecoration: 'underline wavy',
  });

  readonly #breather: Breather;

  constructor(breather: Breather) {
    this.#breather = breather;
  }

  dispose(): void {
    this.#supported.dispose();
    this.#unsupported.dispose();
  }

  /** Opens a summary with its source beside it, and marks both: as a model found it, where one was asked, else by what is not in the source. */
  async open(
    state: SessionState,
    node: SummaryNode,
    level = state.levels.get(node.id) ?? 'detailed',
  ): Promise<Compared> {
    const shown = node[level] === undefined ? 'detailed' : level;
    const place = state.spanOf(node.id);
    const ids = place ? state.path.slice(place.from, place.to + 1) : [];
    const messages = ids.flatMap((id) => state.messages.get(id) ?? []);
    const noted = state.summaries.checkOf(node);
    const check = noted?.level === shown ? noted : undefined;
    const statements = check ? findingsOf(check, messages) : await this.#byCode(node[shown] ?? '', messages);
    const left = await openDocument(nodeUri(state, node, shown), { viewColumn: vscode.ViewColumn.One, preview: false });
    const right = await openDocument(nodeUri(state, node, 'source'), {
      viewColumn: vscode.ViewColumn.Two,
      preview: false,
      preserveFocus: true,
    });
    const mark = (statement: StatementFinding): vscode.DecorationOptions => ({
      range: new vscode.Range(left.document.positionAt(statement.start), left.document.positionAt(statement.end)),
      hoverMessage: hover(state, messages, statement),
    });
    left.setDecorations(this.#supported, statements.filter(isSupported).map(mark));
    const unsupported = statements.filter(({ reason }) => supportOf(reason) === false);
    left.setDecorations(this.#unsupported, unsupported.map(mark));
    right.setDecorations(this.#supported, sourceRanges(right.document, messages, statements));
    const judged = statements.filter(({ isByCode }) => !isByCode);
    return {
      statements: judged.length,
      unsupported: judged.filter(({ reason }) => supportOf(reason) === false).length,
      unjudged: statements.length - judged.length,
      reader: check?.model,
    };
  }

  async #byCode(text: string, messages: readonly Message[]): Promise<readonly StatementFinding[]> {
    const { checkStatementsSteps } = await import('../../core/audit/statements.ts');
    return resting(checkStatementsSteps(text, messages), this.#breather);
  }
}

/** What a model found, its messages counted among these; one that has been deleted since is no source. */
function findingsOf({ statements }: SummaryCheck, messages: readonly Message[]): StatementFinding[] {
  const at = new Map(messages.map(({ id }, index) => [id, index]));
  return statements.map(({ sources, ...one }) => ({
    ...one,
    sources: sources.flatMap((source) => {
      const message = at.get(source.message);
      return message === undefined ? [] : [{ ...source, message }];
    }),
  }));
}

const isSupported = ({ reason }: StatementFinding): boolean => supportOf(reason) === true;

/** The passages that support a statement, where the source document shows them: its messages stand in order. */
function sourceRanges(
  document: vscode.TextDocument,
  messages: readonly Message[],
  statements: readonly StatementFinding[],
): vscode.Range[] {
  const whole = document.getText();
  const starts: number[] = [];
  let from = 0;
  for (const message of messages) {
    const at = whole.indexOf(textOf(message), from);
    starts.push(at);
    if (at >= 0) from = at + textOf(message).length;
  }
  return statements
    .filter(isSupported)
    .flatMap(({ sources }) => sources)
    .flatMap(({ message, start, end }) => {
      const at = starts[message] ?? -1;
      return at < 0 ? [] : [new vscode.Range(document.positionAt(at + start), document.positionAt(at + end))];
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
    text.appendText(textOf(message).slice(source.start, source.end).slice(0, 200));
  }
  return text;
}
