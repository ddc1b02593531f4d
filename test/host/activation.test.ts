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
    const before = process.cpuUsage();
    await find().activate();
    const { user, system } = process.cpuUsage(before);
    const ms = ((user + system) / 1000).toFixed(1);
    // What is printed elsewhere goes to the window's console, where nobody looks.
    Mocha.reporters.Base.consoleLog(`      activation: ${ms} ms of CPU, the loading of the bundle included`);
    await vscode.commands.executeCommand('threadkeeper.openChat');
    assert.equal(find().isActive, true);
  });
});
