import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isWindowPresent } from '../../src/host/platform/window-presence.ts';

describe('window presence check', () => {
  const answeringAfter = async (ms: number): Promise<boolean> => {
    const { executeCommand } = vscode.commands;
    Reflect.set(vscode.commands, 'executeCommand', async (command: string, ...rest: unknown[]) => {
      await sleep(ms);
      return executeCommand(command, ...rest);
    });
    try {
      return await isWindowPresent();
    } finally {
      Reflect.set(vscode.commands, 'executeCommand', executeCommand);
    }
  };

  it('counts a window that takes seconds to answer as present, but not a silent one', async () => {
    assert.equal(await answeringAfter(2_000), true);
    assert.equal(await answeringAfter(60_000), false);
  });
});
