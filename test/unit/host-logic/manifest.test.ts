import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import {
  DECISIONS_TOOL,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  CHAT_VIEW,
  EXTERNAL_CHATS_VIEW,
  CONTEXT_VIEW,
} from '../../../src/host/platform/contribution-ids.ts';
import type * as CommandsModule from '../../../src/host/commands.ts';
import { settingsSchema } from '../../../src/host/platform/settings-schema.ts';
import { PAGE_COMMANDS } from '../../../src/protocol/views.ts';
import { defaultSettings, hostIn } from '../../support/fake-editor.ts';

const root = path.join(import.meta.dirname, '../../..');
const text = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const manifest = JSON.parse(text('package.json'));
const contributes = manifest.contributes;

describe('extension manifest', () => {
  const contributed: readonly { command: string; title: string }[] = contributes.commands;
  const ids = contributed.map(({ command }) => command);

  it('has a handler and its own title for each command, and no other handlers except the page’s', async () => {
    const { HANDLERS } = await hostIn({})<typeof CommandsModule>('commands.ts');
    const names = Object.keys(HANDLERS).map((name) => `threadkeeper.${name}`);
    const ofPage = new Set(PAGE_COMMANDS.map((name) => `threadkeeper.${name}`));
    const unhandled = ids.filter((id) => !names.includes(id));
    assert.deepEqual(unhandled, []);
    const unknown = names.filter((id) => !ids.includes(id) && !ofPage.has(id));
    assert.deepEqual(unknown, []);
    for (const { command, title } of contributed)
      assert.equal(title, `%command.${command.replace('threadkeeper.', '')}%`);
  });

  it('offers every icon command of a row in its context menu as well, for use by keyboard', () => {
    const items: readonly { command: string; group: string; when: string }[] = contributes.menus['view/item/context'];
    const [icons, entries] = [true, false].map((isIcon) =>
      items
        .filter(({ group }) => group.startsWith('inline') === isIcon)
        .map(({ command, when }) => `${command} ${when}`),
    ) as [string[], string[]];
    assert.ok(icons.length > 10);
    const missing = icons.filter((icon) => !entries.includes(icon));
    assert.deepEqual(missing, []);
  });

  it('uses different icons for its Activity Bar containers', () => {
    const icons = contributes.viewsContainers.activitybar.map(({ icon }: { icon: string }) => text(icon));
    assert.equal(new Set(icons).size, 2);
  });

  it('offers at most 28 commands regardless of what is open, and at most 12 settings that are not advanced', () => {
    const narrowed = new Set(contributes.menus.commandPalette.map(({ command }: { command: string }) => command));
    const always = ids.filter((id) => !narrowed.has(id));
    assert.ok(always.length <= 28, `${always.length} commands`);
    const settings = contributes.configuration.flatMap((group: { properties: object }) =>
      Object.values<{ tags?: readonly string[] }>(group.properties as Record<string, { tags?: readonly string[] }>),
    );
    const first = settings.filter(({ tags }: { tags?: readonly string[] }) => !tags?.includes('advanced'));
    assert.ok(first.length <= 12, `${first.length} settings`);
  });

  it('contributes every command that menus, key bindings and the code refer to', () => {
    const entries = [...Object.values(contributes.menus).flat(), ...contributes.keybindings] as { command: string }[];
    const named = readdirSync(path.join(root, 'src/host'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...text(`src/host/${file}`).matchAll(/(?:command: |lens\(|Command\()'(threadkeeper\.\w+)'/g)])
      .map(([, id = '']) => id);
    assert.ok(named.length >= 10, named.join());
    for (const id of [...entries.map(({ command }) => command), ...named]) assert.ok(ids.includes(id), id);
  });

  it('contributes the views, the chat participant and the tools', () => {
    const idsOf = (list: { id: string }[]): string[] => list.map(({ id }) => id);
    assert.deepEqual(idsOf(contributes.views.threadkeeperChat), [CHAT_VIEW]);
    assert.deepEqual(idsOf(contributes.views.threadkeeper), [CONTEXT_VIEW, MEMORY_VIEW, EXTERNAL_CHATS_VIEW]);
    assert.deepEqual(idsOf(contributes.chatParticipants), [PARTICIPANT]);
    const tools = contributes.languageModelTools.map(({ name }: { name: string }) => name);
    assert.deepEqual(tools, [RECALL_TOOL, DECISIONS_TOOL]);
  });

  it('has walkthrough images that exist and follow the theme, and links to existing commands', () => {
    for (const { steps } of contributes.walkthroughs)
      for (const { media, description } of steps) {
        assert.match(text(media.svg), /var\(--vscode-/);
        const said: string = JSON.parse(text('package.nls.json'))[description.slice(1, -1)];
        for (const [, command] of said.matchAll(/\(command:([\w.]+)\)/g))
          assert.ok(ids.includes(command!) || command === `${CONTEXT_VIEW}.focus`, command);
      }
  });

  it('has a text for each placeholder and no unused texts', () => {
    const used = [...text('package.json').matchAll(/"%([\w.-]+)%"/g)].map((match) => match[1]);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(JSON.parse(text('package.nls.json'))).sort());
  });

  it('has no machine-scoped setting, because VS Code hides user values of those in remote windows', () => {
    for (const group of contributes.configuration) {
      for (const [name, { scope = '' }] of Object.entries<{ scope?: string }>(group.properties))
        assert.ok(!scope.startsWith('machine'), name);
    }
  });

  it('declares the settings that the code reads, with the same types, choices and bounds', () => {
    const declared = contributes.configuration.flatMap((group: { properties: object }) =>
      Object.entries(group.properties),
    );
    const known = Object.entries(settingsSchema.entries).flatMap(([section, { entries }]) =>
      Object.entries(entries).map(([name, schema]) => [`threadkeeper.${section}.${name}`, declarationOf(schema)]),
    );
    const shapes = declared.map(([name, setting]: [string, Declaration]) => {
      assert.ok(setting.markdownDescription, name);
      const { type, enum: choices, minimum, maximum } = setting;
      return [name, { type, enum: choices && new Set(choices), minimum, maximum }];
    });
    assert.deepEqual(Object.fromEntries(shapes), Object.fromEntries(known));
  });

  it('has defaults that the code accepts', () => {
    v.parse(settingsSchema, defaultSettings());
  });
});

interface Declaration {
  readonly type: string | readonly string[];
  readonly enum?: Iterable<unknown>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly markdownDescription?: string;
}

/** How the manifest must describe a value that the schema accepts. */
function declarationOf(schema: v.GenericSchema): Omit<Declaration, 'default'> {
  const nullable = 'wrapped' in schema;
  const inner = nullable ? (schema.wrapped as v.GenericSchema) : schema;
  const pipe = 'pipe' in inner ? (inner.pipe as readonly { type: string; requirement?: number }[]) : [];
  const bound = (type: string): number | undefined => pipe.find((each) => each.type === type)?.requirement;
  const choices = 'options' in inner ? (inner.options as readonly unknown[]) : undefined;
  const names: Readonly<Record<string, string>> = { picklist: 'string', record: 'object' };
  const type = bound('integer') === undefined ? (names[inner.type] ?? inner.type) : 'integer';
  return {
    type: nullable ? [type, 'null'] : type,
    enum: choices && new Set(nullable ? [...choices, null] : choices),
    minimum: bound('min_value'),
    maximum: bound('max_value'),
  };
}
