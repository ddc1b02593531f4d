import path from 'node:path';

/** A user's home folder, and the environment variables that relocate tools' folders; empty ones count as unset. */
export interface Home {
  readonly folder: string;
  /** Empty for a home folder other than the user's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Configuration folders of VS Code and its forks. */
const EDITOR_FOLDERS = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'Cursor', 'Windsurf'];

/** Folders of the editors' servers for remote windows. */
const SERVER_FOLDERS = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscode-remote',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
];

/** Folders for application data on Linux, macOS, and Windows. */
export function dataFolders({ folder, env }: Home): string[] {
  // VS Code from the Snap Store changes the variable, but other tools still use the default folder.
  const linux = [env['XDG_DATA_HOME'] || [], path.join(folder, '.local/share')].flat();
  return [
    ...new Set(linux.map((one) => path.resolve(one))),
    path.join(folder, 'Library/Application Support'),
    env['LOCALAPPDATA'] || path.join(folder, 'AppData/Local'),
    env['APPDATA'] || path.join(folder, 'AppData/Roaming'),
  ];
}

/** The `User` folders of all editors: installed, remote, and portable. `names` limits the installed ones. */
export function editorFolders({ folder, env }: Home, names: readonly string[] = EDITOR_FOLDERS): string[] {
  const settings = [
    env['XDG_CONFIG_HOME'] || path.join(folder, '.config'),
    path.join(folder, 'Library/Application Support'),
    env['APPDATA'] || path.join(folder, 'AppData/Roaming'),
  ];
  const installed = settings.flatMap((one) => names.map((name) => path.join(one, name, 'User')));
  const remote = SERVER_FOLDERS.map((name) => path.join(folder, name, 'data/User'));
  return [...installed, ...(names === EDITOR_FOLDERS ? remote : []), ...portableFolders({ folder, env })];
}

/** The `User` folders of portable editors. Their paths don't show which editor they belong to. */
export const portableFolders = ({ folder, env }: Home): string[] =>
  [env['VSCODE_PORTABLE'] || [], folder].flat().map((one) => path.join(one, 'user-data/User'));

/** A tool's folder: the value of an environment variable, or `name` in the home folder. */
export function toolFolder({ folder, env }: Home, variable: string, name: string): string {
  return env[variable] || path.join(folder, name);
}
