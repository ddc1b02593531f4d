import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type * as ChangedWorkspaceModule from '../../../src/host/sessions/changed-workspace.ts';
import { hostIn, l10n } from '../../support/fake-editor.ts';

describe('the folders of a workspace without a file', () => {
  let change: (() => void) | undefined;
  const shown: string[] = [];
  const run: string[] = [];
  const load = hostIn({
    l10n,
    Disposable: class {
      readonly dispose: () => void;
      constructor(dispose: () => void) {
        this.dispose = dispose;
      }
    },
    commands: { executeCommand: (id: string) => void run.push(id) },
    window: {
      showWarningMessage: (text: string, button: string) => {
        shown.push(text);
        return Promise.resolve(button);
      },
    },
    workspace: {
      onDidChangeWorkspaceFolders: (listener: () => void) => {
        change = listener;
        return { dispose: () => (change = undefined) };
      },
    },
  });

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    shown.length = run.length = 0;
  });
  afterEach(() => mock.timers.reset());

  it('have changed if VS Code has not restarted its extensions, which a message says once', async () => {
    const { reportChangedWorkspace } = await load<typeof ChangedWorkspaceModule>('sessions/changed-workspace.ts');
    let current = 'folders:a|b';
    const reports = reportChangedWorkspace('folders:a|b', () => current);
    change?.();
    mock.timers.runAll();
    assert.deepEqual(shown, [], 'the order of the folders has changed');
    current = 'folders:a|b|c';
    change?.();
    change?.();
    mock.timers.runAll();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(shown.length, 1);
    assert.match(shown[0]!, /previous folders/);
    assert.deepEqual(run, ['workbench.action.reloadWindow']);
    change?.();
    reports.dispose();
    mock.timers.runAll();
    assert.equal(shown.length, 1, 'VS Code restarts its extensions');
    assert.equal(change, undefined);
  });
});
