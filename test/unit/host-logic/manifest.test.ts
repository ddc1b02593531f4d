import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import {
  COMMAND,
  COMMANDS,
  DECISIONS_TOOL,
  MEMORY_VIEW,
  PARTICIPANT,
  RECALL_TOOL,
  CHAT_VIEW,
  CHATS_VIEW,
  SUMMARIES_VIEW,
} from '../../../src/host/platform/ids.ts';
import { settingsSchema } from '../../../src/host/platform/settings-schema.ts';

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

  it('offers in the context menus what the icons of summaries and key events do', () => {
    const items: readonly { command: string; group: string }[] = contributes.menus['view/item/context'];
    for (const name of ['editSummary', 'pinEvent', 'unpinEvent', 'correctEvent']) {
      const groups = items.filter(({ command }) => command === `threadkeeper.${name}`).map(({ group }) => group);
      assert.deepEqual(groups.map((group) => group.startsWith('inline')).sort(), [false, true], name);
    }
  });

  it('tells its containers in the Activity Bar apart by their icons', () => {
    const icons = contributes.viewsContainers.activitybar.map(({ icon }: { icon: string }) => text(icon));
    assert.equal(new Set(icons).size, 2);
  });

  it('offers each command in the palette when the table says so', () => {
    const offered = contributes.menus.commandPalette.map(({ command, when }: { command: string; when: string }) => [
      command.replace('threadkeeper.', ''),
      when,
    ]);
    const narrowed = Object.entries(COMMANDS).filter(([, when]) => when !== undefined);
    assert.deepEqual(Object.fromEntries(offered), Object.fromEntries(narrowed));
  });

  it('offers at most 28 commands whatever is open, and 12 settings before the advanced ones', () => {
    const always = Object.values(COMMANDS).filter((when) => when === undefined);
    assert.ok(always.length <= 28, `${always.length} commands`);
    const settings = contributes.configuration.flatMap((group: { properties: object }) =>
      Object.values<{ tags?: readonly string[] }>(group.properties as Record<string, { tags?: readonly string[] }>),
    );
    const first = settings.filter(({ tags }: { tags?: readonly string[] }) => !tags?.includes('advanced'));
    assert.ok(first.length <= 12, `${first.length} settings`);
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
    assert.deepEqual(ids(contributes.views.threadkeeperChat), [CHAT_VIEW]);
    assert.deepEqual(ids(contributes.views.threadkeeper), [SUMMARIES_VIEW, MEMORY_VIEW, CHATS_VIEW]);
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
    const defaults: Record<string, Record<string, unknown>> = {};
    for (const { properties } of contributes.configuration)
      for (const [id, setting] of Object.entries<Declaration>(properties)) {
        const [, section = '', name = ''] = id.split('.');
        (defaults[section] ??= {})[name] = setting.default;
      }
    v.parse(settingsSchema, defaults);
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

/** What the manifest has to say of a value that the schema takes. */
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
