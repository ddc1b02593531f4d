import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension', () => {
  const find = (): vscode.Extension<unknown> => {
    const extension = vscode.extensions.getExtension('threadkeeper.threadkeeper');
    assert.ok(extension, 'the extension is not installed');
    return extension;
  };

  it('is there and sleeps until it is used', () => {
    assert.equal(find().isActive, false);
  });

  it('wakes when the chat is opened', async () => {
    await vscode.commands.executeCommand('threadkeeper.openChat');
    assert.equal(find().isActive, true);
  });
});
