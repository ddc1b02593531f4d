import * as vscode from 'vscode';
import type { MemoryEntry } from '../../core/memory/memory.ts';
import { COMMAND } from '../platform/ids.ts';
import { KIND_ICON, kindName, standingName } from '../platform/key-event-kinds.ts';
import { locale } from '../platform/l10n.ts';
import type { WorkspaceMemory } from './workspace-memory.ts';

/** The view of the workspace's memory: a row for each line that is sent in every session. */
export class MemoryTree implements vscode.TreeDataProvider<MemoryEntry>, vscode.Disposable {
  readonly #memory: WorkspaceMemory;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(memory: WorkspaceMemory) {
    this.#memory = memory;
    this.#subscription = memory.onDidChange(() => this.#changed.fire(undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async getChildren(row?: MemoryEntry): Promise<MemoryEntry[]> {
    if (row) return [];
    await this.#memory.load();
    return [...this.#memory.entries];
  }

  getTreeItem(entry: MemoryEntry): vscode.TreeItem {
    const item = new vscode.TreeItem(entry.text, vscode.TreeItemCollapsibleState.None);
    item.id = entry.id;
    const isLeft = this.#memory.left.has(entry.id);
    item.description = isLeft ? `${kindName(entry.kind)} · ${standingName('dropped')}` : kindName(entry.kind);
    item.tooltip = `${entry.text}\n${new Date(entry.at).toLocaleString(locale())}`;
    item.iconPath = new vscode.ThemeIcon(KIND_ICON[entry.kind]);
    item.contextValue = 'threadkeeper.memory';
    item.command = { command: COMMAND.editMemory, title: vscode.l10n.t('Edit'), arguments: [entry] };
    return item;
  }
}
