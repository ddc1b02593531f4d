import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  COMMAND,
  COMMANDS,
  DECISIONS_TOOL,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  CHAT_VIEW,
  SUMMARIES_VIEW,
} from '../../../src/host/platform/ids.ts';

const root = path.join(import.meta.dirname, '../../..');
const text = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const manifest = JSON.parse(text('package.json'));
const contributes = manifest.contributes;

describe('the manifest', () => {
  it('contributes exactly the commands of the table, each under its own title', () => {
    const contributed = contributes.commands.map(({ command, title }: { command: string; title: string }) => ({
      command,
      title,
    }));
    const known = Object.keys(COMMANDS).map((name) => ({
      command: `threadkeeper.${name}`,
      title: `%command.${name}%`,
    }));
    const byId = (one: { command: string }, other: { command: string }): number =>
      one.command.localeCompare(other.command);
    assert.deepEqual(contributed.sort(byId), known.sort(byId));
  });

  it('offers each command in the palette when the table says so', () => {
    const offered = contributes.menus.commandPalette.map(({ command, when }: { command: string; when: string }) => [
      command.replace('threadkeeper.', ''),
      when,
    ]);
    const narrowed = Object.entries(COMMANDS).filter(([, when]) => when !== undefined);
    assert.deepEqual(Object.fromEntries(offered), Object.fromEntries(narrowed));
  });

  it('names no command in menus and key bindings that it does not contribute', () => {
    const known = new Set(contributes.commands.map((one: { command: string }) => one.command));
    for (const entry of [...Object.values(contributes.menus).flat(), ...contributes.keybindings] as {
      command: string;
    }[])
      assert.ok(known.has(entry.command), entry.command);
  });

  it('contributes the views, the participant and the tools', () => {
    const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id);
    assert.deepEqual(ids(contributes.views.threadkeeper), [CHAT_VIEW, SUMMARIES_VIEW, MEMORY_VIEW]);
    assert.deepEqual(ids(contributes.chatParticipants), [PARTICIPANT]);
    const tools = contributes.languageModelTools.map(({ name }: { name: string }) => name);
    assert.deepEqual(tools, [RECALL_TOOL, DECISIONS_TOOL]);
  });

  it('shows pictures in its walkthrough that are there, follow the theme, and lead to commands that exist', () => {
    const known = new Set<string>(Object.values(COMMAND));
    for (const { steps } of contributes.walkthroughs)
      for (const { media, description } of steps) {
        assert.match(text(media.svg), /var\(--vscode-/);
        const said: string = JSON.parse(text('package.nls.json'))[description.slice(1, -1)];
        for (const [, command] of said.matchAll(/\(command:([\w.]+)\)/g))
          assert.ok(known.has(command!) || command === `${SUMMARIES_VIEW}.focus`, command);
      }
  });

  it('has a text for each of its placeholders, and no text that nothing shows', () => {
    const used = [...text('package.json').matchAll(/"%([\w.-]+)%"/g)].map((match) => match[1]);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(JSON.parse(text('package.nls.json'))).sort());
  });

  it('has no setting that the user’s own settings do not show in a window on another machine', () => {
    // There the editor hides what is the machine's, and does not heed what the user set at home.
    for (const group of contributes.configuration) {
      for (const [name, { scope = '' }] of Object.entries<{ scope?: string }>(group.properties))
        assert.ok(!scope.startsWith('machine'), name);
    }
  });

  it('gives each setting a description, and reads each setting', () => {
    const reader = text('src/host/platform/settings.ts') + text('src/host/models/spend-limit.ts');
    for (const group of contributes.configuration) {
      for (const [name, setting] of Object.entries<{ markdownDescription?: string }>(group.properties)) {
        assert.ok(setting.markdownDescription, name);
        const last = name.split('.').at(-1);
        assert.ok(new RegExp(`\\b${last}\\b`).test(reader), `${name} is read`);
      }
    }
  });
});
