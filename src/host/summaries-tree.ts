import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import type { ContextGauge } from './context-gauge.ts';
import { SUMMARIES_VIEW } from './ids.ts';
import { childrenOf, parentOf, type TreeSource } from './tree/children.ts';
import { EventIndex } from './tree/event-index.ts';
import { treeItem } from './tree/items.ts';
import { rowId, type Row } from './tree/rows.ts';
import type { GaugeView } from '../protocol/views.ts';

export interface SummariesTreeDeps {
  readonly conversation: () => Conversation | undefined;
  /** Opens the newest session of the workspace when none is open; it makes none. */
  readonly latest: () => Promise<Conversation | undefined>;
  readonly gauge: ContextGauge;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The *Summaries* view: what is in the context now, the tree of summaries down to its sources, the key events. */
export class SummariesTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #deps: SummariesTreeDeps;
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Row>;
  #isStale = false;
  #events: { readonly key: string; readonly index: EventIndex } | undefined;
  #gaugeView: GaugeView | undefined;

  constructor(deps: SummariesTreeDeps) {
    this.#deps = deps;
    this.#view = vscode.window.createTreeView(SUMMARIES_VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.#view.onDidChangeVisibility(({ visible }) => {
      if (visible && this.#isStale) this.refresh();
    });
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }

  /** Shows the session as it is now; while the view is hidden, when it is shown again. */
  refresh(): void {
    this.#isStale = !this.#view.visible;
    if (this.#isStale) return;
    this.#gaugeView = undefined;
    this.#view.description = this.#deps.conversation()?.state.title ?? '';
    this.#changed.fire(undefined);
  }

  /** Shows a row and selects it. */
  async reveal(row: Row): Promise<void> {
    await this.#view.reveal(row, { select: true, focus: true, expand: true });
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const conversation = row ? this.#deps.conversation() : await this.#deps.latest();
    if (!conversation || conversation.state.counters.messagesEver === 0) return [];
    return childrenOf(this.#source(conversation), row);
  }

  getParent(row: Row): Row | undefined {
    const conversation = this.#deps.conversation();
    return conversation && parentOf(this.#source(conversation), row);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const conversation = this.#deps.conversation();
    const item = conversation
      ? treeItem(conversation, this.#source(conversation), row, this.#deps.now())
      : new vscode.TreeItem('');
    item.id = rowId(row);
    return item;
  }

  #source(conversation: Conversation): TreeSource {
    return {
      state: conversation.state,
      events: () => this.#eventsOf(conversation),
      gauge: () => (this.#gaugeView ??= this.#deps.gauge.view(conversation)),
    };
  }

  /** Made anew when the ledger or the branch has changed. */
  #eventsOf(conversation: Conversation): EventIndex {
    const { state, journal } = conversation;
    const key = [journal.id, state.ledgerRevision, state.prefixRevision, state.events.size].join('/');
    if (this.#events?.key !== key) {
      const leftOut = new Set(conversation.context().leftOut.map(({ id }) => id));
      this.#events = { key, index: new EventIndex(state, leftOut) };
    }
    return this.#events.index;
  }
}
