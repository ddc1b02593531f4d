import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answering, sampleSession } from './product.ts';

describe('correcting a key event in the tree', () => {
  it('says that the event is gone, without offering the log, when the session no longer has it', async () => {
    const { state } = await sampleSession();
    const message = state.path[0]!;
    const event = { id: 'gone', kind: 'decision', quote: 'x', message, start: 0, end: 1 };
    const shown: unknown[][] = [];
    await answering(
      {
        showQuickPick: (items: readonly unknown[]) => Promise.resolve(items[1]),
        showErrorMessage: (...words: unknown[]) => {
          shown.push(words);
          return Promise.resolve();
        },
      },
      async () => vscode.commands.executeCommand('threadkeeper.correctEvent', { kind: 'event', event }),
    );
    assert.deepEqual(shown, [['This key event is no longer in the session.']]);
  });
});
