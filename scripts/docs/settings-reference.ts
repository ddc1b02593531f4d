import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../support/paths.ts';

export const SETTINGS_REFERENCE = 'docs/settings.md';

interface Setting {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly markdownDescription: string;
  readonly enum?: readonly unknown[];
  readonly enumDescriptions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope?: string;
  readonly order?: number;
  readonly tags?: readonly string[];
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly mac?: string }[];
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

const SCOPES: Readonly<Record<string, string>> = {
  application: 'user settings only',
  window: 'user or workspace settings',
  resource: 'user, workspace, or folder settings',
};

/** Writes the reference of settings, commands, and key bindings in the manifest as Markdown. */
export async function renderSettings(): Promise<string> {
  const read = async (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');
  const manifest = JSON.parse(await read('package.json')) as Manifest;
  const texts = JSON.parse(await read('package.nls.json')) as Readonly<Record<string, string>>;
  const textOf = (text: string): string => texts[text.slice(1, -1)] ?? text;
  const { configuration, commands, keybindings } = manifest.contributes;
  const restricted = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);

  const groups = configuration.map(({ title, properties }) => {
    const settings = Object.entries(properties).sort(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
    return `## ${textOf(title)}\n\n${settings.map(([name, one]) => renderSetting(name, one, textOf, restricted)).join('\n\n')}`;
  });
  const rows = commands.map(({ command, title }) => {
    const keys = keybindings.filter((one) => one.command === command);
    const pressed = keys.map(({ key, mac }) => `\`${key}\`${mac === undefined ? '' : ` (macOS \`${mac}\`)`}`);
    return `| Threadkeeper: ${textOf(title)} | \`${command}\` | ${pressed.join(', ')} |`;
  });
  const markdown = [
    '# Settings, commands, and keys',
    'Written from the manifest by `npm run docs`. An empty setting (`null`) takes the value of the policy or the model. The Settings editor hides advanced settings: search for `@tag:advanced`, or for the full name of one.',
    ...groups,
    `## Commands\n\n| Command | ID | Keys |\n|---|---|---|\n${rows.join('\n')}`,
  ].join('\n\n');
  return format(markdown, { ...(await resolveConfig(path.join(root, SETTINGS_REFERENCE))), parser: 'markdown' });
}

function renderSetting(
  name: string,
  setting: Setting,
  textOf: (text: string) => string,
  restricted: ReadonlySet<string>,
): string {
  const facts = [
    `Default: ${value(setting.default)}`,
    ...(setting.minimum === undefined ? [] : [`at least ${setting.minimum}`]),
    ...(setting.maximum === undefined ? [] : [`at most ${setting.maximum}`]),
    ...(setting.scope === undefined ? [] : [SCOPES[setting.scope] ?? setting.scope]),
    ...(setting.tags?.includes('advanced') === true ? ['advanced'] : []),
    ...(restricted.has(name) && setting.scope !== 'application' ? ['workspace value ignored in Restricted Mode'] : []),
  ];
  const choices = (setting.enum ?? []).map((one, index) => {
    const about = setting.enumDescriptions?.[index];
    return `- ${value(one)}${about === undefined ? '' : `: ${textOf(about)}`}`;
  });
  return [
    `### ${name}`,
    // VS Code writes a link to a setting as `#id#` in backticks.
    textOf(setting.markdownDescription).replace(/`#(threadkeeper\.[\w.]+)#`/g, (_, id: string) => {
      return `[\`${id}\`](#${id.replaceAll('.', '').toLowerCase()})`;
    }),
    `${facts.join('; ')}.`,
    ...(choices.length > 0 ? [choices.join('\n')] : []),
  ].join('\n\n');
}

/** Long defaults are truncated; the Settings editor shows all of them. */
function value(one: unknown): string {
  const text = JSON.stringify(one);
  return `\`${text.length > 80 ? `${text.slice(0, 77)}…` : text}\``;
}

export async function isSettingsReferenceCurrent(): Promise<boolean> {
  const current = await readFile(path.join(root, SETTINGS_REFERENCE), 'utf8').catch(() => '');
  return current === (await renderSettings());
}
