import * as vscode from 'vscode';
import { inform } from '../platform/inform.ts';
import type { SessionJournal } from '../../app/ports.ts';
import { translated } from '../platform/translated.ts';

/** Tells the user, once each time, that a full disk keeps what is said in memory alone, and that it was written. */
export function unsavedTeller(journal: SessionJournal): () => void {
  let told = false;
  return () => {
    const { unsaved } = journal;
    if (told === (unsaved !== undefined)) return;
    told = unsaved !== undefined;
    if (unsaved) void vscode.window.showWarningMessage(translated(unsaved));
    else inform(vscode.l10n.t('Disk space is available again. All messages have been saved.'));
  };
}
