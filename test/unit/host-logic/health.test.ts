import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderHealth } from '../../../src/app/health-report.ts';
import type * as HealthModule from '../../../src/host/health/check-health.ts';
import type * as MemoryModule from '../../../src/host/memory/workspace-memory.ts';
import { MemoryFile } from '../../../src/storage/memory-file.ts';
import { defaultSettings, hostIn, nothing, workspaceWith } from '../../support/fake-editor.ts';
import { folderForEachTest } from '../../support/per-test.ts';

const settings = defaultSettings();
const load = hostIn({
  env: { language: 'en', appName: 'Code', appHost: 'desktop' },
  version: '1.140.0',
  extensions: { getExtension: () => undefined },
  window: { onDidChangeWindowState: () => nothing },
  workspace: workspaceWith(settings),
});
const { gatherHealth } = await load<typeof HealthModule>('health/check-health.ts');
const { WorkspaceMemory } = await load<typeof MemoryModule>('memory/workspace-memory.ts');

describe('health check without a session', () => {
  let folder = '';
  folderForEachTest((made) => (folder = made));

  async function report(): Promise<string> {
    const sessions = path.join(folder, 'sessions');
    mkdirSync(sessions, { recursive: true });
    const file = new MemoryFile(path.join(folder, 'memory'), 'empty', () => {});
    const facts = await gatherHealth({
      memory: new WorkspaceMemory(file, { id: String, now: Date.now }),
      store: { list: () => Promise.resolve([]) },
      sessions: { current: undefined },
      folder: sessions,
      memoryFolder: path.join(folder, 'memory'),
      snapshots: { status: () => ({ kind: 'none', bytes: 0 }) },
      chosenModel: () => ({ provider: 'local', model: '' }),
      models: { isReady: () => Promise.resolve(true) },
    } as never);
    return renderHealth(facts);
  }

  it('counts a memory file that was quarantined because it couldn’t be read', async () => {
    await new MemoryFile(path.join(folder, 'memory'), 'empty', () => {}).change(() => []);
    const [name] = readdirSync(path.join(folder, 'memory'));
    writeFileSync(path.join(folder, 'memory', name!), '{"entries": [');
    assert.match(await report(), /## Memory\n\n- entries: 0\n- quarantined files: 1/);
  });

  it('reports that the memory can’t be read instead of failing', async () => {
    writeFileSync(path.join(folder, 'memory'), 'not a folder');
    const text = await report();
    assert.match(text, /Found 1 problem\./);
    assert.match(text, /## Memory\n\n- can’t be read: ENOTDIR/);
    assert.ok(!text.includes(folder), 'the report contains no paths');
  });

  for (const [what, name, value, reported] of [
    [
      'rule',
      'keyEvents.rules',
      [
        { kind: 'fact', phrase: 'x' },
        { kind: 'fact', pattern: '(Zoe owes' },
      ],
      ', item 2',
    ],
    ['rule’s kind', 'keyEvents.rules', [{ kind: 'Zoe owes', phrase: 'Zoe owes' }], ', item 1'],
    ['placeholder', 'summarizer.prompt', '{{messages}} {{Zoe owes}}', ''],
    ['model’s name', 'models.overrides', { 'Zoe owes': { contextWindow: 'large' } }, ''],
    ['tool', 'sources.tools', ['Zoe owes'], ', item 1'],
    ['number', 'chat.temperature', 3, ''],
  ] as const)
    it(`names the setting and the position of an invalid ${what}, but not its text`, async () => {
      const [section = '', key = ''] = name.split('.');
      const before = settings[section]![key];
      settings[section]![key] = value;
      try {
        const text = await report();
        assert.ok(text.includes(`## Settings\n\n- invalid: threadkeeper.${name}${reported}\n`), text);
        assert.doesNotMatch(text, /Zoe/);
      } finally {
        settings[section]![key] = before;
      }
    });
});
