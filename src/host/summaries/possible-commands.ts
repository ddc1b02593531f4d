import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';

const shown = new Map<string, boolean>();

/** Tells the editor which commands make sense now, for menus and palette. */
export function showWhatIsPossible(conversation: Conversation | undefined): void {
  const state = conversation?.state;
  const facts = {
    isReadOnly: conversation?.journal.readOnly !== undefined,
    hasTask: state?.task !== undefined,
    hasMessages: (state?.path.length ?? 0) > 0,
    hasSummaries: (state?.frontier.length ?? 0) > 0,
    hasEvents: (state?.events.size ?? 0) > 0,
    hasPinned: state ? [...state.events.values()].some(({ pinned }) => pinned) : false,
    hasOpened: (state?.openedNodes.size ?? 0) > 0,
    hasUndone: state?.compressions.some(({ id }) => state.isCompressionUndone(id)) ?? false,
    hasCompressions: (state?.compressions.length ?? 0) > 0,
    canUndoChange: (state?.changes.length ?? 0) > 0,
    canRedoChange: (state?.undoneChanges.length ?? 0) > 0,
  };
  for (const [name, value] of Object.entries(facts)) {
    if (shown.get(name) === value) continue;
    shown.set(name, value);
    void vscode.commands.executeCommand('setContext', `threadkeeper.${name}`, value);
  }
}
