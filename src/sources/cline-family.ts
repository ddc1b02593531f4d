import path from 'node:path';
import type { Source, Tool } from '../app/library/source.ts';
import { isList, textAt, tryParse } from '../core/text/json-value.ts';
import { readClineMessage } from '../core/transcript/cline.ts';
import { checkVersion, parseTimestamp } from '../core/transcript/transcript-message.ts';
import type { Databases } from './sqlite-databases.ts';
import { editorFolders, toolFolder, type Home } from './home-folders.ts';
import { fieldsOf, readJson, readOptionalFields, readOptionalText, unknownFormat } from './read-files.ts';
import { createSource, hasExtension, type Finder } from './session-finder.ts';
import { findOpencodeSessions, readOpencodeSession } from './opencode.ts';

const EXTENSIONS = {
  cline: ['saoudrizwan.claude-dev', 'saoudrizwan.cline-nightly'],
  roo: ['rooveterinaryinc.roo-cline', 'rooveterinaryinc.roo-code-nightly', 'roo-code.roo-cline'],
  kilo: ['kilocode.kilo-code'],
} as const satisfies Partial<Record<Tool, readonly string[]>>;

const TASK_FILE = 'api_conversation_history.json';
const MESSAGES_FILE = '.messages.json';

/**
 * Cline and its forks: `tasks/<id>/api_conversation_history.json` in the extension's storage, or in the folder that the
 * setting `customStoragePath` of Roo Code or Kilo Code names. Cline's CLI stores
 * `~/.cline/data/sessions/<id>/*.messages.json`. Since version 7, Kilo Code is a fork of opencode.
 */
export function clineFamily(tool: 'cline' | 'roo' | 'kilo', home: Home, databases: Databases): Source {
  return createSource(
    tool,
    async (finder) => {
      for (const user of editorFolders(home)) {
        const settings = await readSettings(finder, user);
        for (const extension of EXTENSIONS[tool]) {
          await addTasks(finder, path.join(user, 'globalStorage', extension));
          for (const folder of customStorage(settings, extension)) await addTasks(finder, folder);
        }
      }
      if (tool === 'cline') {
        const data = home.env['CLINE_DATA_DIR'] || path.join(toolFolder(home, 'CLINE_DIR', '.cline'), 'data');
        await addTasks(finder, data);
        await addSessions(finder, home.env['CLINE_SESSION_DATA_DIR'] || path.join(data, 'sessions'));
      }
      if (tool === 'kilo') await findOpencodeSessions(finder, databases, home, 'kilo', 'KILO_DB');
    },
    async (file, sink) => {
      if (path.basename(file.path) !== TASK_FILE && tool === 'kilo') return readOpencodeSession(databases, file, sink);
      const value = await readJson(file.path);
      checkVersion(fieldsOf(value)['version'], 1);
      const messages = isList(value) ? value : fieldsOf(value)['messages'];
      if (!isList(messages)) throw unknownFormat(tool);
      for (const message of messages) readClineMessage(message, sink);
      return undefined;
    },
  );
}

/** The settings of an editor's user, of all profiles, and on a remote machine. They are JSON with comments. */
async function readSettings(finder: Finder, user: string): Promise<string> {
  const folders = [user, path.join(user, '../Machine'), ...(await finder.subfolders(path.join(user, 'profiles')))];
  return (await Promise.all(folders.map((folder) => readOptionalText(path.join(folder, 'settings.json'))))).join('\n');
}

/** The folders in an extension's setting. Values in comments count as well, because they may contain older chats. */
function customStorage(settings: string, extension: string): readonly string[] {
  const setting = `"${extension.slice(extension.indexOf('.') + 1)}.customStoragePath"`;
  const values = settings
    .split(setting)
    .slice(1)
    .map((text) => /^\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]);
  return values.flatMap((value) => textAt(tryParse(value ?? '')) ?? []).filter((folder) => path.isAbsolute(folder));
}

async function addTasks(finder: Finder, storage: string): Promise<void> {
  const history = tryParse(await readOptionalText(path.join(storage, 'state/taskHistory.json')));
  const items = new Map((isList(history) ? history : []).map((item) => [fieldsOf(item)['id'], fieldsOf(item)]));
  for (const folder of await finder.subfolders(path.join(storage, 'tasks'))) {
    const id = path.basename(folder);
    for (const file of await finder.findFiles(folder, (name) => name === TASK_FILE)) {
      const item = items.get(id) ?? (await readOptionalFields(path.join(folder, 'history_item.json')));
      const workspace = textAt(item, 'workspace') ?? textAt(item, 'cwdOnTaskInitialization');
      await finder.addFile(file, { id, title: textAt(item, 'task'), workspace });
    }
  }
}

async function addSessions(finder: Finder, sessions: string): Promise<void> {
  for (const folder of await finder.subfolders(sessions)) {
    const id = path.basename(folder);
    for (const file of await finder.findFiles(folder, hasExtension(MESSAGES_FILE))) {
      const { cwd, metadata, prompt, ...more } = await readOptionalFields(path.join(folder, `${id}.json`));
      const workspace = textAt(cwd);
      const agent = path.basename(file, MESSAGES_FILE);
      if (agent === id) {
        const title = textAt(metadata, 'title') ?? textAt(prompt);
        const createdAt = parseTimestamp(more['started_at'] ?? more['created_at']);
        await finder.addFile(file, { id, workspace, title, createdAt });
      } else await finder.addFile(file, { id: `${id}__${agent}`, parent: id, workspace });
    }
  }
}
