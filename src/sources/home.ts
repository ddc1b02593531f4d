import path from 'node:path';

/** A user's home folder, and the environment that moves stores elsewhere. */
export interface Home {
  readonly folder: string;
  /** Empty for a home other than the user's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Editors of VS Code's family, by the name of their folder. */
const EDITORS = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'Cursor', 'Windsurf'];

/** Where the server half of a remote window keeps its data. */
const SERVERS = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscode-remote',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
];

/** Folders of applications' settings on Linux, macOS and Windows. */
function configFolders({ folder, env }: Home): string[] {
  return [
    env['XDG_CONFIG_HOME'] ?? path.join(folder, '.config'),
    path.join(folder, 'Library/Application Support'),
    env['APPDATA'] ?? path.join(folder, 'AppData/Roaming'),
  ];
}

/** Folders of applications' data on Linux, macOS and Windows. */
export function dataFolders(home: Home): string[] {
  const { folder, env } = home;
  return [
    env['XDG_DATA_HOME'] ?? path.join(folder, '.local/share'),
    path.join(folder, 'Library/Application Support'),
    env['LOCALAPPDATA'] ?? path.join(folder, 'AppData/Local'),
    env['APPDATA'] ?? path.join(folder, 'AppData/Roaming'),
  ];
}

/** The `User` folders of every editor: installed, remote, portable. `names` narrows the installed ones. */
export function editorFolders(home: Home, names: readonly string[] = EDITORS): string[] {
  const installed = configFolders(home).flatMap((folder) => names.map((name) => path.join(folder, name, 'User')));
  const remote = SERVERS.map((name) => path.join(home.folder, name, 'data/User'));
  const portable = [home.env['VSCODE_PORTABLE'], home.folder].flatMap((folder) =>
    folder === undefined ? [] : [path.join(folder, 'user-data/User')],
  );
  return [...installed, ...(names === EDITORS ? remote : []), ...portable];
}

/** A tool's own folder in the home, or where a variable says. */
export function toolFolder({ folder, env }: Home, variable: string, name: string): string {
  return env[variable] ?? path.join(folder, name);
}
