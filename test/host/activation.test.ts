import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as vscode from 'vscode';

describe('extension activation', () => {
  it('loads only one small file until the extension is used', async () => {
    const extension = vscode.extensions.getExtension('threadkeeper.threadkeeper');
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    const dist = path.join(extension.extensionPath, 'dist');
    const { cache } = createRequire(path.join(dist, 'extension.cjs'));
    const read = (): string[] =>
      Object.keys(cache)
        .filter((file) => file.startsWith(dist + path.sep))
        .map((file) => path.relative(dist, file));
    assert.deepEqual(read(), ['extension.cjs']);
    await vscode.commands.executeCommand('threadkeeper.openChat');
    assert.ok(read().includes('product.cjs'));
  });
});
