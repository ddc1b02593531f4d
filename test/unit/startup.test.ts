import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import type * as ExtensionModule from '../../src/host/extension.ts';
import { root } from '../../scripts/support/paths.ts';
import { hostIn } from '../support/fake-editor.ts';
import { until } from '../support/until.ts';

const ENTRY_POINT = 'src/host/extension.ts';
/** The modules that are loaded at startup. All others belong to the product, which is loaded on first use. */
const STARTUP_MODULES = /^src\/host\/(extension|registration|platform\/(contribution-ids|lazy))\.ts$/;

interface State {
  readonly tools?: readonly string[];
  readonly isTrusted: boolean;
  readonly isUsed?: boolean;
}

/** A stub for any part of VS Code. */
const stub: object = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : stub),
  apply: () => stub,
  construct: () => stub,
});

/**
 * Activates the extension in `state`, then changes VS Code to `next`. Returns the delays (ms) of the timers set at
 * activation, and whether the product was loaded.
 */
async function activateIn(
  state: State,
  next = state,
): Promise<{ readonly timers: number[]; readonly isLoaded: boolean }> {
  let current = state;
  let isLoaded = false;
  const listeners: ((event?: object) => void)[] = [];
  const listen = (listener: (event?: object) => void): unknown => listeners.push(listener);
  const workspace = {
    get isTrusted() {
      return current.isTrusted;
    },
    getConfiguration: () => ({ get: () => current.tools }),
    onDidGrantWorkspaceTrust: listen,
    onDidChangeConfiguration: listen,
  };
  const window = new Proxy(stub, {
    // The product creates its log first; stop there, so that nothing else runs.
    get: (_, name) => (name === 'createOutputChannel' ? () => ((isLoaded = true), assert.fail()) : stub),
  });
  const { activate } = await hostIn({
    window,
    commands: stub,
    lm: stub,
    Uri: stub,
    EventEmitter: stub,
    Disposable: stub,
    ExtensionMode: { Test: 3 },
    workspace: new Proxy(workspace, { get: (own, name) => (name in own ? Reflect.get(own, name) : stub) as unknown }),
  })<typeof ExtensionModule>('extension.ts');
  const timers: number[] = [];
  const { setTimeout: originalSetTimeout, console: originalConsole } = globalThis;
  Object.assign(globalThis, { setTimeout: (_: unknown, ms: number) => timers.push(ms), console: stub });
  try {
    activate({
      subscriptions: [],
      extensionUri: stub,
      extensionMode: 1,
      extension: { packageJSON: { contributes: { commands: [] } } },
      workspaceState: { get: () => current.isUsed },
    } as never);
    if (next === state) return { timers, isLoaded };
    current = next;
    for (const listener of listeners)
      listener({ affectsConfiguration: (name: string) => name === 'threadkeeper.sources' });
    await until(() => isLoaded);
    return { timers, isLoaded };
  } finally {
    Object.assign(globalThis, { setTimeout: originalSetTimeout, console: originalConsole });
  }
}

describe('extension startup', () => {
  it('loads only the registration modules, not the product', async () => {
    const { metafile } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: [ENTRY_POINT],
      bundle: true,
      metafile: true,
      write: false,
      splitting: true,
      outdir: 'out/start',
      format: 'esm',
      platform: 'node',
      external: ['vscode'],
      loader: { '.md': 'text' },
      logLevel: 'silent',
    });
    const { outputs } = metafile;
    const startupFiles = new Set(Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === ENTRY_POINT));
    for (const name of startupFiles)
      for (const { path: to, kind, external } of outputs[name]?.imports ?? [])
        if (kind === 'import-statement' && external !== true) startupFiles.add(to);
    const modules = [...startupFiles].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
    assert.ok(modules.includes('src/host/registration.ts'));
    const others = modules.filter((name) => !STARTUP_MODULES.test(name));
    assert.deepEqual(others, []);
  });

  it('does not load the product by itself without selected tools or in an untrusted workspace', async () => {
    for (const state of [
      { tools: [], isTrusted: true },
      { isTrusted: true },
      { tools: ['claude-code'], isTrusted: false },
    ])
      assert.deepEqual((await activateIn(state)).timers, []);
  });

  it('waits for other extensions before loading the product to copy chats or open the workspace’s session', async () => {
    for (const state of [
      { tools: ['claude-code'], isTrusted: true },
      { tools: [], isTrusted: false, isUsed: true },
    ]) {
      const { timers, isLoaded } = await activateIn(state);
      assert.equal(isLoaded, false);
      assert.ok(timers.length === 1 && timers[0]! >= 5_000, timers.join());
    }
  });

  it('loads the product when a tool is selected or the workspace becomes trusted later', async () => {
    const ready = { tools: ['claude-code'], isTrusted: true };
    assert.equal((await activateIn({ tools: [], isTrusted: true }, ready)).isLoaded, true);
    assert.equal((await activateIn({ tools: ['claude-code'], isTrusted: false }, ready)).isLoaded, true);
  });
});
