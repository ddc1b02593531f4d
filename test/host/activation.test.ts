import assert from 'node:assert/strict';
import Mocha from 'mocha';
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
    // The extension host's own thread: others of the process compile and collect garbage for all extensions.
    const before = process.threadCpuUsage();
    await find().activate();
    const { user, system } = process.threadCpuUsage(before);
    const ms = ((user + system) / 1000).toFixed(1);
    // What is printed elsewhere goes to the window's console, where nobody looks.
    Mocha.reporters.Base.consoleLog(`      activation: ${ms} ms of CPU, the editor's own part in it included`);
    await vscode.commands.executeCommand('threadkeeper.openChat');
    assert.equal(find().isActive, true);
  });
});
