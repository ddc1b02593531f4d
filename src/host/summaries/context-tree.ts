import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Clock } from '../../app/ports.ts';
import type { ScoredResult } from '../../app/search-results.ts';
import type { Sessions } from '../../app/sessions.ts';
import { gaugeView } from '../gauge/gauge-view.ts';
import { EventIndex } from './event-index.ts';
import type { TreeSource } from './context-row-texts.ts';
import { filterRow, findRow, topRows, type ContextRow, type RowTarget, type TreeFilter } from './context-rows.ts';

interface ContextTreeApp {
  readonly clock: Pick<Clock, 'now'>;
  readonly sessions: Pick<Sessions, 'current' | 'currentOrLatestIfAny'>;
  /** The best results in an open session. */
  search(conversation: Conversation, query: string): Promise<readonly ScoredResult[]>;
}

/** The *Context* view: the parts of the context, the tree of summaries down to their messages, and the key events. */
export class ContextTree implements vscode.TreeDataProvider<ContextRow>, vscode.Disposable {
  readonly #app: ContextTreeApp;
  readonly #changed = new vscode.EventEmitter<ContextRow | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ContextRow>;
  readonly #subscription: vscode.Disposable;
  #isStale = false;
  #filter: TreeFilter | undefined;
  #isEmpty: boolean | undefined;

  /** @param view shows the rows; its owner disposes of it */
  constructor(view: vscode.TreeView<ContextRow>, app: ContextTreeApp) {
    this.#app = app;
    this.#view = view;
    this.#subscription = view.onDidChangeVisibility(({ visible }) => {
      if (visible && this.#isStale) this.refresh();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** Updates the view, now or when it becomes visible again. */
  refresh(): void {
    this.#isStale = !this.#view.visible;
    if (this.#isStale) return;
    this.#view.description = this.#app.sessions.current?.state.title ?? '';
    this.#changed.fire(undefined);
  }

  /** Shows only the rows that match a filter, or all rows without one. */
  setFilter(filter: TreeFilter | undefined): void {
    this.#filter = filter;
    void vscode.commands.executeCommand('setContext', 'threadkeeper.summariesFiltered', filter !== undefined);
    this.refresh();
  }

  /** Selects the row for a summary, message, or event. Removes the filter, which may hide it. */
  async reveal(target: RowTarget): Promise<void> {
    const conversation = this.#app.sessions.current;
    const row = conversation && findRow(this.#source(conversation), target);
    if (!row) return;
    if (this.#filter) this.setFilter(undefined);
    await this.#view.reveal(row, { select: true, focus: true, expand: true });
  }

  async getChildren(row?: ContextRow): Promise<ContextRow[]> {
    if (row) return row.children();
    const conversation = await this.#app.sessions.currentOrLatestIfAny();
    const isEmpty = !conversation || conversation.state.counters.messagesEver === 0;
    // Shows or hides the welcome content, but not before the first rows: it would take the keyboard focus.
    if (this.#isEmpty !== isEmpty) {
      this.#isEmpty = isEmpty;
      void vscode.commands.executeCommand('setContext', 'threadkeeper.isContextEmpty', isEmpty);
    }
    if (isEmpty) return [];
    const source = this.#source(conversation);
    const filter = this.#filter;
    if (!filter) return topRows(source);
    return [filterRow(source, filter, filter.by === 'text' ? await this.#app.search(conversation, filter.text) : [])];
  }

  getParent(row: ContextRow): ContextRow | undefined {
    return row.parent;
  }

  getTreeItem(row: ContextRow): vscode.TreeItem {
    return row.item;
  }

  /** Tooltips are only created on demand. */
  resolveTreeItem(item: vscode.TreeItem, row: ContextRow): vscode.TreeItem {
    item.tooltip = row.tooltip?.() ?? (typeof item.label === 'string' ? item.label : '');
    return item;
  }

  #source(conversation: Conversation): TreeSource {
    const leftOut = new Set(conversation.context().leftOut.map(({ id }) => id));
    return {
      conversation,
      events: new EventIndex(conversation.state, leftOut),
      gauge: gaugeView(conversation),
      now: this.#app.clock.now(),
    };
  }
}
