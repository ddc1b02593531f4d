import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import * as esbuild from 'esbuild';
import type * as ExtensionModule from '../../src/host/extension.ts';
import { hostIn, l10n } from '../support/fake-editor.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START = 'src/host/extension.ts';
/** The modules that are loaded at startup. All others belong to the product, which is loaded on first use. */
const PARTS = /^src\/host\/(extension|registration|platform\/(contribution-ids|lazy))\.ts$/;

interface State {
  readonly tools?: readonly string[];
  readonly isTrusted: boolean;
  readonly isUsed?: boolean;
}

/** A stand-in for any part of VS Code. */
const nothing: object = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing,
  construct: () => nothing,
});

/**
 * Activates the extension, and returns the time until it loads the product by itself in ms, and whether it does once
 * `next` is true.
 */
async function activate(
  state: State,
  next = state,
): Promise<{ readonly timers: number[]; readonly isUsedThen: boolean }> {
  let now = state;
  let isUsedThen = false;
  const changes: ((event?: object) => void)[] = [];
  const listen = (listener: (event?: object) => void): unknown => changes.push(listener);
  const workspace = {
    get isTrusted() {
      return now.isTrusted;
    },
    getConfiguration: () => ({ get: () => now.tools }),
    onDidGrantWorkspaceTrust: listen,
    onDidChangeConfiguration: listen,
  };
  const window = new Proxy(nothing, {
    // The product's first action.
    get: (_, name) => (name === 'createOutputChannel' ? () => ((isUsedThen = true), assert.fail()) : nothing),
  });
  const others = { commands: nothing, Uri: nothing, EventEmitter: nothing, Disposable: nothing };
  const { activate } = await hostIn({
    ...{ l10n, window, ...others, ExtensionMode: { Test: 3 }, TreeItemCollapsibleState: {} },
    workspace: new Proxy(workspace, {
      get: (own, name) => (name in own ? Reflect.get(own, name) : nothing) as unknown,
    }),
  })<typeof ExtensionModule>('extension.ts');
  const timers: number[] = [];
  const { setTimeout: later, console: log } = globalThis;
  Object.assign(globalThis, { setTimeout: (_: unknown, ms: number) => timers.push(ms), console: nothing });
  try {
    activate({
      ...{ subscriptions: [], extensionUri: nothing, extensionMode: 1 },
      extension: { packageJSON: { contributes: { commands: [] } } },
      workspaceState: { get: () => now.isUsed },
    } as never);
    if (next === state) return { timers, isUsedThen };
    now = next;
    for (const tell of changes) tell({ affectsConfiguration: (name: string) => name === 'threadkeeper.sources' });
    for (let waits = 0; waits < 3_000 && !isUsedThen; waits++) await pass(10);
    return { timers, isUsedThen };
  } finally {
    Object.assign(globalThis, { setTimeout: later, console: log });
  }
}

describe('extension startup', () => {
  it('loads only the registration modules, not the product', async () => {
    const { metafile } = await esbuild.build({
      absWorkingDir: root,
      ...{ entryPoints: [START], bundle: true, metafile: true, write: false, splitting: true, outdir: 'out/start' },
      ...{ format: 'esm', platform: 'node', external: ['vscode'], loader: { '.md': 'text' }, logLevel: 'silent' },
    });
    const { outputs } = metafile;
    const atOnce = new Set(Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === START));
    for (const name of atOnce)
      for (const { path: to, kind, external } of outputs[name]?.imports ?? [])
        if (kind === 'import-statement' && external !== true) atOnce.add(to);
    const modules = [...atOnce].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
    assert.ok(modules.includes('src/host/registration.ts'));
    assert.deepEqual(
      modules.filter((name) => !PARTS.test(name)),
      [],
    );
  });

  it('does not load the product by itself without selected tools or in an untrusted workspace', async () => {
    for (const state of [
      { tools: [], isTrusted: true },
      { isTrusted: true },
      { tools: ['claude-code'], isTrusted: false },
    ])
      assert.deepEqual((await activate(state)).timers, []);
  });

  it('waits for other extensions before loading the product to copy chats or open the workspace’s session', async () => {
    for (const state of [
      { tools: ['claude-code'], isTrusted: true },
      { tools: [], isTrusted: false, isUsed: true },
    ]) {
      const { timers, isUsedThen } = await activate(state);
      assert.equal(isUsedThen, false);
      assert.ok(timers.length === 1 && timers[0]! >= 5_000, timers.join());
    }
  });

  it('loads the product when a tool is selected or the workspace becomes trusted later', async () => {
    const kept = { tools: ['claude-code'], isTrusted: true };
    assert.equal((await activate({ tools: [], isTrusted: true }, kept)).isUsedThen, true);
    assert.equal((await activate({ tools: ['claude-code'], isTrusted: false }, kept)).isUsedThen, true);
  });
});
