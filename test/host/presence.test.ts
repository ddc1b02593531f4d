import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isWindowPresent } from '../../src/host/platform/window-presence.ts';
import { replacing } from './product.ts';

describe('window presence check', () => {
  const answeringAfter = (ms: number): Promise<boolean> => {
    const { executeCommand } = vscode.commands;
    const executeLater = async (command: string, ...rest: unknown[]) => {
      await sleep(ms);
      return executeCommand(command, ...rest);
    };
    return replacing(vscode.commands, 'executeCommand', executeLater, isWindowPresent);
  };

  it('counts a window that takes seconds to answer as present, but not a silent one', async () => {
    assert.equal(await answeringAfter(2_000), true);
    assert.equal(await answeringAfter(60_000), false);
  });
});
