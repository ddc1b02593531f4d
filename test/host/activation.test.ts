import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension', () => {
  it('opens the chat in a window that has just been opened', async () => {
    const extension = vscode.extensions.getExtension('threadkeeper.threadkeeper');
    assert.ok(extension, 'the extension is not installed');
    await vscode.commands.executeCommand('threadkeeper.openChat');
    assert.equal(extension.isActive, true);
  });
});
