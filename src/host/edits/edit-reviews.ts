import * as vscode from 'vscode';
import {
  applyChanges,
  lineChanges,
  linesOf,
  reapplyChanges,
  type LineChange,
  type UnplacedChange,
} from '../../core/edits/apply-changes.ts';
import { runYielding } from '../../core/pace/steps.ts';
import type { Yielder } from '../../core/pace/yielder.ts';
import type { Change } from '../../core/edits/parse-edits.ts';
import { RequestFault } from '../../protocol/faults.ts';
import { SUGGESTION_SCHEME } from '../platform/contribution-ids.ts';
import { allTabs, fileTypeOf, relativePath } from '../platform/workspace-files.ts';

/** Proposed changes to a file that aren't accepted or rejected yet. */
interface Review {
  readonly uri: vscode.Uri;
  /** The document on the right side of the diff. */
  readonly right: vscode.Uri;
  /** The file's text before the changes, with `\n`; undefined if it doesn't exist. */
  base: string | undefined;
  proposed: string;
  /** The texts of the file before and after accepted changes. If undo or redo restores one, `proposed` stays valid. */
  known: Set<string>;
}

/** Shows proposed changes in a diff editor. Accepted changes are edits of the file that can be undone. */
export class EditReviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #yielder: Yielder;
  /** By the URI of the document on the right side. */
  readonly #reviews = new Map<string, Review>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables: readonly { dispose(): unknown }[] = [
    this.#changed,
    vscode.workspace.registerTextDocumentContentProvider(SUGGESTION_SCHEME, this),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.#fileChanged(document)),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      // A tab that is moved to another group is closed in its old one.
      for (const { input } of closed)
        if (isSuggestion(input) && tabsOf(input.modified).length === 0) this.#reviews.delete(String(input.modified));
    }),
  ];

  constructor(yielder: Yielder) {
    this.#yielder = yielder;
    // Closes diff editors that were restored after a reload. Their suggestions are lost, so the right side would be
    // empty.
    const left = allTabs().filter(({ input }) => isSuggestion(input));
    if (left.length > 0) vscode.window.tabGroups.close(left, true).then(undefined, () => undefined);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#reviews.get(String(uri))?.proposed ?? '';
  }

  /** Shows the proposed changes to a file, and returns those that can't be applied. If none can, nothing is shown. */
  async open(
    uri: vscode.Uri,
    changes: readonly Change[],
  ): Promise<{ placed: number; unplaced: readonly UnplacedChange[] }> {
    const base = await textOf(uri);
    const { text, unplaced } = await runYielding(applyChanges(base ?? '', changes), this.#yielder);
    const placed = changesOf({ base: base ?? '', proposed: text }).length;
    if (placed === 0) return { placed, unplaced };
    const right = vscode.Uri.from({ scheme: SUGGESTION_SCHEME, path: uri.path, query: uri.toString() });
    this.#reviews.set(String(right), { uri, right, base, proposed: text, known: new Set([base ?? '']) });
    // The file may have changed while the lines were found.
    vscode.workspace.textDocuments.forEach((document) => this.#fileChanged(document));
    this.#changed.fire(right);
    const left = base === undefined ? right.with({ fragment: 'empty' }) : uri;
    // Keeps the chat visible.
    const isChatActive = vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
    await vscode.commands.executeCommand(
      'vscode.diff',
      left,
      right,
      vscode.l10n.t('{0} ↔ suggestion', relativePath(uri)),
      { preview: false, viewColumn: isChatActive ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active },
    );
    return { placed, unplaced };
  }

  /** Applies the change at the cursor, or all changes. */
  async accept(what: 'change' | 'all'): Promise<void> {
    const [review, accepted] = this.#choose(what);
    const { uri, base } = review;
    const edit = new vscode.WorkspaceEdit();
    const before = linesOf(base ?? '');
    const after = withChanges(before, accepted);
    if (base === undefined) {
      edit.createFile(uri, { contents: Buffer.from(after) });
    } else {
      for (const change of accepted) edit.replace(uri, rangeOf(before, change), textFor(before, change));
    }
    // The file is only saved automatically if it had no unsaved changes before.
    const isClean = !vscode.workspace.textDocuments.some((one) => one.isDirty && String(one.uri) === String(uri));
    review.base = after;
    review.known.add(after);
    if (!(await vscode.workspace.applyEdit(edit))) {
      review.base = base;
      throw new RequestFault('storage', vscode.l10n.t('Couldn’t change the file. Check that it isn’t read-only.'));
    }
    if (isClean) await (await vscode.workspace.openTextDocument(uri)).save();
    await this.#next(review);
  }

  /** Rejects the change at the cursor, or all changes. */
  async reject(what: 'change' | 'all'): Promise<void> {
    const [review, , remaining] = this.#choose(what);
    review.proposed = withChanges(linesOf(review.base ?? ''), remaining);
    this.#changed.fire(review.right);
    await this.#next(review);
  }

  /** Shows the first remaining change, or else closes the diff editor and, after an accepted change, shows the file. */
  async #next(review: Review): Promise<void> {
    const [first] = changesOf(review);
    if (first) {
      const { visibleTextEditors } = vscode.window;
      const editor = visibleTextEditors.find(({ document }) => String(document.uri) === String(review.right));
      if (editor) showLine(editor, first.from);
      return;
    }
    const tabs = tabsOf(review.right);
    this.#reviews.delete(String(review.right));
    const viewColumn = tabs[0]?.group.viewColumn ?? vscode.ViewColumn.Active;
    await vscode.window.tabGroups.close(tabs);
    if (review.known.size > 1) await vscode.window.showTextDocument(review.uri, { viewColumn, preview: false });
  }

  /** The active review, its change at the cursor or all, and the others. Throws `RequestFault` without a review. */
  #choose(what: 'change' | 'all'): [review: Review, chosen: LineChange[], others: LineChange[]] {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const review = input instanceof vscode.TabInputTextDiff && this.#reviews.get(String(input.modified));
    if (!review) throw new RequestFault('not_found', vscode.l10n.t('There are no changes to review.'));
    const all = changesOf(review);
    if (what === 'all') return [review, all, []];
    const at = this.#atCursor(review, all);
    return [review, all.slice(at, at + 1), all.toSpliced(at, 1)];
  }

  /** The index of the change at the cursor, or of the next one below it, or of the last one. */
  #atCursor(review: Review, changes: readonly LineChange[]): number {
    const editor = vscode.window.activeTextEditor;
    const line = editor?.selection.active.line ?? 0;
    const isLeft = String(editor?.document.uri) === String(review.uri);
    const ranges = isLeft ? changes : rangesIn(changes);
    const found = ranges.findIndex(({ from, to }) => line < Math.max(to, from + 1));
    return found < 0 ? changes.length - 1 : found;
  }

  /** Rebases the proposed changes onto the edited file's text, and warns about those that can't be applied anymore. */
  #fileChanged(document: vscode.TextDocument): void {
    for (const review of this.#reviews.values()) {
      if (String(review.uri) !== String(document.uri)) continue;
      const current = linesOf(document.getText()).join('\n');
      if (current === review.base) continue;
      if (!review.known.has(current)) {
        const { text, unplaced } = reapplyChanges(review.base ?? '', review.proposed, current);
        review.proposed = text;
        review.known = new Set([current]);
        if (unplaced.length > 0)
          warnSkippedChanges(review.uri, unplaced, changesOf({ base: current, proposed: text }).length);
      }
      review.base = current;
      this.#changed.fire(review.right);
    }
  }
}

export function warnSkippedChanges(uri: vscode.Uri, unplaced: readonly UnplacedChange[], placed: number): void {
  const quote = (unplaced[0]!.lines.find((line) => line.trim() !== '') ?? '').trim().slice(0, 80);
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'Skipped changes without a unique match in {0}: {1} of {2}. First skipped change: {3}',
      relativePath(uri),
      unplaced.length,
      unplaced.length + placed,
      quote,
    ),
  );
}

const changesOf = ({ base, proposed }: Pick<Review, 'base' | 'proposed'>): LineChange[] =>
  base === proposed ? [] : lineChanges(base ?? '', proposed);

function withChanges(lines: readonly string[], changes: readonly LineChange[]): string {
  const changed = [...lines];
  for (const { from, to, put } of changes.toReversed()) changed.splice(from, to - from, ...put);
  return changed.join('\n');
}

/** The changes' line ranges in the proposed text. */
function rangesIn(changes: readonly LineChange[]): { readonly from: number; readonly to: number }[] {
  let shift = 0;
  return changes.map(({ from, to, put }) => {
    const start = from + shift;
    shift += put.length - (to - from);
    return { from: start, to: start + put.length };
  });
}

/** The range of a change's lines, including the line break after them, or before them if they end the file. */
function rangeOf(lines: readonly string[], { from, to }: LineChange): vscode.Range {
  if (to < lines.length) return new vscode.Range(from, 0, to, 0);
  const end = new vscode.Position(lines.length - 1, lines.at(-1)!.length);
  return from === 0
    ? new vscode.Range(new vscode.Position(0, 0), end)
    : new vscode.Range(new vscode.Position(from - 1, lines[from - 1]!.length), end);
}

/** The replacement for `rangeOf`, with the same line breaks. */
function textFor(lines: readonly string[], { from, to, put }: LineChange): string {
  if (to < lines.length) return put.map((line) => `${line}\n`).join('');
  return from === 0 ? put.join('\n') : put.map((line) => `\n${line}`).join('');
}

/** The text of a file with `\n`, including unsaved changes in an editor; undefined if it doesn't exist. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return linesOf((await vscode.workspace.openTextDocument(uri)).getText()).join('\n');
  } catch (error) {
    if ((await fileTypeOf(uri)) !== undefined) throw error;
    return undefined;
  }
}

const isSuggestion = (input: unknown): input is vscode.TabInputTextDiff =>
  input instanceof vscode.TabInputTextDiff && input.modified.scheme === SUGGESTION_SCHEME;

/** The diff editors with this document on the right side. */
const tabsOf = (right: vscode.Uri): vscode.Tab[] =>
  allTabs().filter(({ input }) => isSuggestion(input) && String(input.modified) === String(right));

function showLine(editor: vscode.TextEditor, line: number): void {
  const at = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
