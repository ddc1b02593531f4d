import * as vscode from 'vscode';

/** What the product has of a tree. */
export interface Rows<Row> {
  /** Fires the row below which something has changed; undefined for all of them. */
  readonly onDidChangeTreeData: vscode.Event<Row | undefined>;
  getChildren(row?: Row): Promise<Row[]>;
  getTreeItem(row: Row): vscode.TreeItem;
  getParent?(row: Row): Row | undefined;
}

/** Stands in for a tree of the product: the editor asks for rows when the view is seen. */
export class LateTree<Row> implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #find: () => Promise<Rows<Row>>;
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #followed: vscode.Disposable | undefined;

  constructor(find: () => Promise<Rows<Row>>) {
    this.#find = find;
  }

  dispose(): void {
    this.#followed?.dispose();
    this.#changed.dispose();
  }

  async getChildren(row?: Row): Promise<Row[]> {
    return (await this.#rows()).getChildren(row);
  }

  async getTreeItem(row: Row): Promise<vscode.TreeItem> {
    return (await this.#rows()).getTreeItem(row);
  }

  async getParent(row: Row): Promise<Row | undefined> {
    return (await this.#rows()).getParent?.(row);
  }

  // What changed before the first rows were asked for is in them.
  async #rows(): Promise<Rows<Row>> {
    const rows = await this.#find();
    this.#followed ??= rows.onDidChangeTreeData((row) => this.#changed.fire(row));
    return rows;
  }
}
